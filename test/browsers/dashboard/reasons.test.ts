import { describe, expect, it } from "vitest"
import { reasonOf } from "../../../dashboard/src/notifications/reasons.ts"

describe("reasons", () => {
  it("say in words what a mail server answered, as far as it has said why", () => {
    expect(reasonOf("smtp_550_5.1.1")?.[0]).toBe("The mail server does not know the address")
    expect(reasonOf("smtp_552_5.2.2")?.[0]).toBe("The mailbox is full, or takes no mail")
    expect(reasonOf("smtp_554_5.7.1")?.[0]).toBe("The mail server refuses it by its rules")
    expect(reasonOf("smtp_451_4.3.0")?.[0]).toMatch("put it off")
    expect(reasonOf("smtp_554")?.[0]).toBe("The mail server refuses the message")
  })

  it("are told apart by their names, whatever the provider adds after a colon", () => {
    expect(reasonOf("expired: smtp_451")?.[0]).toMatch("time to live")
    expect(reasonOf("missing_variable: name")?.[0]).toMatch("variable")
    expect(reasonOf("invalid_argument")?.[0]).toMatch("Google")
    expect(reasonOf("unsubscribed")?.[0]).toBe("The person unsubscribed")
  })

  it("know whole kinds: connections, and statuses that no provider documents", () => {
    expect(reasonOf("connection_connect")?.[0]).toBe("The provider could not be reached")
    expect(reasonOf("tls_failed")?.[0]).toBe("The provider could not be reached")
    expect(reasonOf("status_502")?.[0]).toBe("The provider answered 502")
    expect(reasonOf("something_new")).toBeNull()
    expect(reasonOf("constructor")).toBeNull()
  })
})
