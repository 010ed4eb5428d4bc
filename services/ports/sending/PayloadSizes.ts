import { Context } from "effect"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { Message } from "../../domain/sending/Notification.ts"

export interface PayloadSize {
  readonly bytes: number
  readonly limit: number
}

/** How large a message becomes at each provider, as its layer would write it. Null where there is no limit to speak of. */
export class PayloadSizes extends Context.Service<
  PayloadSizes,
  { readonly sizeOf: (provider: ProviderKind, message: Message) => PayloadSize | null }
>()("heliograph/ports/PayloadSizes") {}
