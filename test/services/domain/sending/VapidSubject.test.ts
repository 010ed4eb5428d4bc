import { describe, expect, it } from "vitest"
import { unreachableHost } from "../../../../services/domain/sending/VapidSubject.ts"

describe("the subject of VAPID keys", () => {
  it("names a host on the internet, by address or by page", () => {
    for (const subject of ["mailto:ops@example.com", "https://push.example.com/contact", "MAILTO:ops@Example.COM."]) {
      expect(unreachableHost(subject)).toBeNull()
    }
  })

  it("is refused where nobody can be reached", () => {
    for (const [subject, host] of [
      ["mailto:ops@localhost", "localhost"],
      ["mailto:ops@box.local", "box.local"],
      ["mailto:ops@service.invalid", "service.invalid"],
      ["https://localhost:8080/", "localhost"],
      ["https://192.168.1.1/", "192.168.1.1"],
      ["https://[::1]/", "[::1]"]
    ]) {
      expect(unreachableHost(subject!)).toBe(host)
    }
  })
})
