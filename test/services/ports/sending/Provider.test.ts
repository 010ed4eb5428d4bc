import { describe, expect, it } from "vitest"
import { OutboundRefused } from "../../../../services/ports/outbound/OutboundPolicy.ts"
import { outcomeOfFailure, outcomeOfRefusal } from "../../../../services/ports/sending/Provider.ts"

describe("a message to which no answer came", () => {
  it("is tried again, whatever was in the way, and may have arrived unless it was surely not processed", () => {
    for (const reason of ["connect", "not_http2", "timeout", "closed", "protocol", "too_large"] as const) {
      const retry = {
        _tag: "Retry",
        reason: reason === "timeout" ? "timeout" : `connection_${reason}`,
        afterMs: null
      }
      expect(outcomeOfFailure({ reason, message: "", unprocessed: false })).toEqual({ ...retry, isUnknown: true })
      expect(outcomeOfFailure({ reason, message: "", unprocessed: true })).toStrictEqual(retry)
    }
  })

  it("says what is wrong with the peer's TLS, where that is known", () => {
    const of = (message: string) => outcomeOfFailure({ reason: "connect", message, unprocessed: true })
    expect(of("CERT_HAS_EXPIRED")).toMatchObject({ _tag: "Retry", reason: "tls_certificate_expired" })
    expect(of("DEPTH_ZERO_SELF_SIGNED_CERT")).toMatchObject({ reason: "tls_certificate_unknown_authority" })
    expect(of("ECONNREFUSED")).toMatchObject({ reason: "connection_connect" })
  })

  it("is tried again where only the name could not be looked up, and is refused where the address may not be called", () => {
    const refused = { _tag: "Fail", reason: "endpoint_refused" } as const
    const of = (transient: boolean) => outcomeOfRefusal(new OutboundRefused({ message: "no", transient }), refused)
    expect(of(true)).toEqual({ _tag: "Retry", reason: "endpoint_unresolved", afterMs: null })
    expect(of(false)).toBe(refused)
  })
})
