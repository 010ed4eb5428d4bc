import { describe, expect, it } from "vitest"
import { payloadOf } from "../../../layers/apns/ApnsPayload.ts"
import { message } from "../Sending.ts"
import type { Message } from "../../../services/domain/sending/Notification.ts"

const written = (sent: Message) => {
  const { common, own, template } = payloadOf(sent, "org.example.app")
  return {
    payload: JSON.parse(`${template.before}DEVICE${template.after}`),
    headers: Object.fromEntries([...common, ...own])
  }
}

describe("the payload for APNs", () => {
  it("carries the alert in aps and everything else beside it, the ids at the top", () => {
    const sent = message({
      content: { title: "A", body: "B", url: "https://e.org/", image: "https://e.org/i.png", data: { n: 1 } }
    })
    expect(written(sent)).toEqual({
      payload: {
        aps: { alert: { title: "A", body: "B" }, "mutable-content": 1 },
        url: "https://e.org/",
        image: "https://e.org/i.png",
        data: { n: 1 },
        service_notification_id: sent.notificationId,
        service_device_id: "DEVICE"
      },
      headers: {
        "apns-topic": "org.example.app",
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-expiration": String(Math.floor(sent.expiresAt / 1000))
      }
    })
  })

  it("is a background push of priority 5 when there is nothing to show", () => {
    const { headers, payload } = written(message({ content: { data: {} } }))
    expect(payload.aps).toEqual({ "content-available": 1 })
    expect(headers).toMatchObject({ "apns-push-type": "background", "apns-priority": "5" })
  })

  it("becomes a visible push when the overrides show something", () => {
    const { headers, payload } = written(message({ content: { data: {} }, overrides: { apns: { aps: { badge: 3 } } } }))
    expect(payload.aps).toEqual({ "content-available": 1, badge: 3 })
    expect(headers).toMatchObject({ "apns-push-type": "alert", "apns-priority": "10" })
  })

  it("takes overrides deeply, but not for its ids", () => {
    const sent = message({
      overrides: { apns: { aps: { alert: { subtitle: "S" }, sound: "ping" }, custom: [1], service_device_id: "mine" } }
    })
    expect(written(sent).payload).toMatchObject({
      aps: { alert: { title: "Sale", body: "Everything must go", subtitle: "S" }, sound: "ping" },
      custom: [1],
      service_device_id: "DEVICE"
    })
  })

  it("says how long, how urgently and instead of what it is to be delivered", () => {
    const { headers } = written(message({ nowOrNever: true, priority: "bulk", collapseKey: "score" }))
    expect(headers).toMatchObject({ "apns-expiration": "0", "apns-priority": "5", "apns-collapse-id": "score" })
  })
})
