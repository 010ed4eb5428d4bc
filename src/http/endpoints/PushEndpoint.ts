import type { RegisterDevice } from "../../../services/domain/audience/Device.ts"
import type { OutboundPolicy } from "../../../services/ports/outbound/OutboundPolicy.ts"
import type { ApiError } from "../pipeline/ApiError.ts"
import { invalid } from "../pipeline/ApiError.ts"

/**
 * What forbids a device: a push endpoint that the engine will never call is refused when it is registered, where somebody
 * sees it, and not one message at a time. Names are asked about when they are called: a registration waits for no DNS.
 */
export const refusalOfEndpoint =
  (outbound: OutboundPolicy["Service"]) =>
  ({ platform, token }: RegisterDevice): ApiError<"validation_error"> | null => {
    const refusal = platform === "web" ? outbound.refusal(token, ["https:"]) : null
    return refusal === null ? null : invalid([{ field: "token", message: refusal.advice }])
  }
