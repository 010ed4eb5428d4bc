const MOST = 200

/** A file's name as the log takes it: nothing in it that would have the log read otherwise than it is written. */
export const fileNameOf = (name: string): string =>
  [...name.toWellFormed().replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "\uFFFD")].slice(0, MOST).join("")
