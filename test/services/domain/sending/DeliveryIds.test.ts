import { describe, expect, it } from "vitest"
import { uuidTime } from "../../../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../../../services/domain/sending/DeliveryIds.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"

const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("deliveryIdOf", () => {
  it("is the same for the same pair and another for any other", () => {
    const notifications = Array.from({ length: 50 }, () => uuidv7())
    const recipients = Array.from({ length: 400 }, () => uuidv7())
    const ids = new Set(notifications.flatMap((n) => recipients.map((r) => deliveryIdOf(n, r))))
    expect(ids.size).toBe(50 * 400)
    expect(deliveryIdOf(notifications[0]!, recipients[0]!)).toBe(deliveryIdOf(notifications[0]!, recipients[0]!))
    for (const id of [...ids].slice(0, 100)) expect(id).toMatch(UUIDV7)
  })

  it("is the one that rows of earlier releases bear", () => {
    expect(deliveryIdOf("0190f5a0-1234-7abc-8def-0123456789ab", "0190F5A1-0000-7123-9abc-fedcba987654")).toBe(
      "0190f5a0-1234-7792-8295-8aa18d3697c7"
    )
  })

  it("lies in the notification's moment", () => {
    const notification = uuidv7(1_600_000_000_000)
    expect(uuidTime(deliveryIdOf(notification, uuidv7()))).toBe(1_600_000_000_000)
  })
})
