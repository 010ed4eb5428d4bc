import { fork } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import * as own from "../../../layers/http2/OwnHttp2Client.ts"
import * as wrapper from "../../../layers/http2/WrapperHttp2Client.ts"
import { layer } from "../../../layers/webpush/WebPushProvider.ts"
import { WebPushProvider } from "../../../services/ports/sending/Provider.ts"
import * as WebPush from "../../../simulators/WebPush.ts"
import { certificates, credential, message, startSender, target } from "../Sending.ts"
import type { Order } from "./Drip.ts"

const SERVICES = 8
const DEVICES = 512

const vapid = () => {
  const { d, x, y } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
  return { public_key: point.toString("base64url"), private_key: d! }
}

describe.each([
  ["own", own.layer],
  ["http2-wrapper", wrapper.layer]
])("Push services that answer 201 and never end, in 16,380 frames of one byte, over the %s transport", (_, http2) => {
  it("cost 512 devices neither memory nor their outcome, and no healthy service waits for them", async () => {
    const child = fork(join(import.meta.dirname, "Drip.ts"))
    const sender = await startSender(WebPushProvider, layer, {}, http2)
    const keys = vapid()
    const healthy = await WebPush.start({ certificates, seed: "seed", applicationServerKey: keys.public_key })
    const owner = credential({ kind: "webpush", value: { subject: "mailto:push@example.org", ...keys } })
    try {
      const { key, cert } = certificates
      child.send({ key, cert, services: SERVICES, messages: DEVICES / SERVICES, frames: 16_380 } satisfies Order)
      const [ports] = (await once(child, "message")) as [ReadonlyArray<number>]
      const { p256dh, auth } = healthy.subscription(0)
      const targets = Array.from({ length: DEVICES }, (_, n) =>
        target(`https://127.0.0.1:${ports[n % SERVICES]}/push/${n}`, { p256dh, auth })
      )
      const toHealthy = (n: number) => {
        const { endpoint, ...theirs } = healthy.subscription(n)
        return sender.send({
          message: message(),
          credential: owner,
          targets: [target(endpoint, { p256dh: theirs.p256dh, auth: theirs.auth })]
        })
      }
      // Its connection is there before the others come: on a slow machine making one takes as long as all that follows.
      await toHealthy(0)
      const before = process.memoryUsage.rss()
      let most = 0
      let longest = 0
      let served = 0
      const state = { isOver: false }
      const hostile = sender
        .send({ message: message(), credential: owner, targets })
        .finally(() => (state.isOver = true))
      const watch = async () => {
        for (let last = performance.now(); !state.isOver;) {
          await turn()
          const now = performance.now()
          longest = Math.max(longest, now - last)
          last = now
          most = Math.max(most, process.memoryUsage.rss() - before)
        }
      }
      const others = async () => {
        while (!state.isOver) {
          const [outcome] = await toHealthy(served)
          if (!state.isOver) served++
          expect(outcome).toMatchObject({ _tag: "Ok" })
        }
      }
      const [outcomes] = await Promise.all([hostile, watch(), others()])
      const seen = `at most ${Math.round(most / 1e6)} MB more, ${Math.round(longest)} ms in one turn, ${served} other messages meanwhile`
      expect([...new Set(outcomes.map((outcome) => JSON.stringify(outcome)))], seen).toEqual([
        JSON.stringify({ _tag: "Ok", messageId: null })
      ])
      expect(most, seen).toBeLessThan(200e6)
      expect(served, seen).toBeGreaterThan(0)
    } finally {
      child.disconnect()
      await sender.close()
      await healthy.close()
    }
  })
})
