import { describe, expect, it } from "vitest"
import { payloadOf } from "../../../layers/fcm/FcmPayload.ts"
import type { Message } from "../../../services/domain/sending/Notification.ts"
import { message } from "../Sending.ts"

const NOW = 1_000_000
const written = (sent: Message) => JSON.parse(payloadOf(sent, NOW).body('to"ken\\', "DEVICE")).message

describe("the payload for FCM", () => {
  it("has a notification, data of strings with both ids, and the way of delivery", () => {
    const sent = message({
      expiresAt: NOW + 90_500,
      collapseKey: "news",
      content: {
        title: "A",
        body: "B",
        image: "https://e.org/i",
        url: "https://e.org/",
        data: { n: 1, o: { p: [2] }, s: "t" }
      }
    })
    expect(written(sent)).toEqual({
      token: 'to"ken\\',
      notification: { title: "A", body: "B", image: "https://e.org/i" },
      data: {
        url: "https://e.org/",
        n: "1",
        o: '{"p":[2]}',
        s: "t",
        service_notification_id: sent.notificationId,
        service_device_id: "DEVICE"
      },
      android: { priority: "HIGH", ttl: "90s", collapse_key: "news" }
    })
  })

  it("is of normal priority in bulk, has no notification without content, and never lives beyond four weeks", () => {
    const sent = message({ priority: "bulk", expiresAt: NOW + 1e12, content: { data: {} } })
    expect(written(sent)).toMatchObject({ android: { priority: "NORMAL", ttl: "2419200s" } })
    expect(written(sent)).not.toHaveProperty("notification")
    expect(written(message({ nowOrNever: true })).android.ttl).toBe("0s")
  })

  it("takes overrides deeply, but neither for its recipient nor for its ids", () => {
    const sent = message({
      overrides: {
        fcm: {
          token: "x",
          topic: "y",
          condition: "z",
          data: { extra: 7, service_device_id: "mine" },
          android: { ttl: "5s", notification: { channel_id: "c" } },
          fcm_options: { analytics_label: "l" }
        }
      }
    })
    expect(written(sent)).toEqual({
      token: 'to"ken\\',
      notification: { title: "Sale", body: "Everything must go" },
      data: { extra: "7", service_notification_id: sent.notificationId, service_device_id: "DEVICE" },
      android: { priority: "HIGH", ttl: "5s", notification: { channel_id: "c" } },
      fcm_options: { analytics_label: "l" }
    })
  })

  it("counts the bytes of names and values as FCM does", () => {
    const base = payloadOf(message({ content: {} }), NOW).bytes
    expect(base).toBe("service_notification_id".length + "service_device_id".length + 72)
    expect(payloadOf(message({ content: { title: "é", data: { ab: "cd" } } }), NOW).bytes).toBe(base + 5 + 2 + 4)
  })
})
