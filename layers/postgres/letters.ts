import type { ProviderKind } from "../../services/domain/Credential.ts"
import type { DeliveryStatus } from "../../services/domain/Delivery.ts"

/** Delivery rows are the most there are of anything: their provider and status take one byte each. */
export const providerLetter = { apns: "a", fcm: "f", webpush: "w", smtp: "m", inbox: "i" } as const satisfies Record<
  ProviderKind,
  string
>

export const statusLetter = { sent: "s", failed: "f", skipped: "k", cancelled: "c" } as const satisfies Record<
  DeliveryStatus,
  string
>

const reverse = <A extends string>(letters: Readonly<Record<A, string>>): ReadonlyMap<string, A> =>
  new Map(Object.entries<string>(letters).map(([name, letter]) => [letter, name as A]))

const providers = reverse(providerLetter)
const statuses = reverse(statusLetter)

const known = <A>(names: ReadonlyMap<string, A>, letter: string): A => {
  const name = names.get(letter)
  if (name === undefined) throw new Error(`A delivery row has the unknown letter ${JSON.stringify(letter)}`)
  return name
}

export const providerOfLetter = (letter: string): ProviderKind => known(providers, letter)
export const statusOfLetter = (letter: string): DeliveryStatus => known(statuses, letter)
