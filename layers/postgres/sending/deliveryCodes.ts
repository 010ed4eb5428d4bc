import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { DeliveryStatus } from "../../../services/domain/sending/Delivery.ts"

/** Delivery rows are the most there are of anything: their provider and status take one byte each. */
export const providerCode = { apns: "a", fcm: "f", webpush: "w", smtp: "m", inbox: "i" } as const satisfies Record<
  ProviderKind,
  string
>

export const statusCode = { sent: "s", failed: "f", skipped: "k", cancelled: "c" } as const satisfies Record<
  DeliveryStatus,
  string
>

const reverse = <A extends string>(codes: Readonly<Record<A, string>>): ReadonlyMap<string, A> =>
  new Map(Object.entries<string>(codes).map(([name, code]) => [code, name as A]))

const providers = reverse(providerCode)
const statuses = reverse(statusCode)

const known = <A>(names: ReadonlyMap<string, A>, code: string): A => {
  const name = names.get(code)
  if (name === undefined) throw new Error(`A delivery row has the unknown code ${JSON.stringify(code)}`)
  return name
}

export const providerOfCode = (code: string): ProviderKind => known(providers, code)
export const statusOfCode = (code: string): DeliveryStatus => known(statuses, code)
