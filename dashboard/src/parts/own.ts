/** What a record has under a key that others choose: `constructor` is no entry of it. */
export const ownOf = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
