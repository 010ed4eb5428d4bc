import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { describe } from "vitest"
import { lastingPort } from "../Ports.ts"
import { eventually, makeSystem } from "../System.ts"

interface Line {
  readonly level: string
  readonly message: string
  readonly [field: string]: unknown
}

describe("the log", () => {
  it.live(
    "tells of failed posts, dead letters, a webhook that is disabled and a drain, in a line for each write and with no secret",
    () =>
      Effect.gen(function* () {
        const system = yield* makeSystem({
          LOG_LEVEL: "debug",
          WEBHOOK_RETRY_DELAYS: "1",
          WEBHOOK_DISABLE_AFTER: "3"
        })
        const lines: Array<Line> = []
        let text = ""
        system.engine.process.stderr!.on("data", (chunk: Buffer) => {
          text += chunk.toString()
        })
        const told = Effect.sync(() => {
          lines.splice(
            0,
            lines.length,
            ...text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []))
          )
          return lines
        })
        const said = (words: string) =>
          Effect.map(
            eventually(told, (all) => all.some(({ message }) => message.includes(words))),
            (all) => all.filter(({ message }) => message.includes(words))
          )

        const port = yield* lastingPort
        const webhook = { name: "dead", url: `http://127.0.0.1:${port}/webhook`, secret: "hush-hush-hush", events: [] }
        const { body } = yield* system.call("POST", "/api/v1/webhooks", webhook)
        yield* system.call("DELETE", "/api/v1/credentials/fcm")
        yield* system.importDevices(100)
        const id = yield* system.send({ to: { platforms: ["android"] }, content: { title: "Hello" } })
        yield* system.until(id, ({ status }) => status === "completed")

        const failed = yield* said("Recipients failed for good")
        expect(failed).toMatchObject([
          { level: "warn", notification_id: id, provider: "fcm", recipients: 40, reasons: { credential_missing: 40 } }
        ])
        const posts = yield* said("Webhook posts failed")
        expect(posts[0]).toMatchObject({ level: "debug", webhook_id: body.id, attempt: 1 })
        const exhausted = yield* said("used up their attempts")
        expect(exhausted[0]).toMatchObject({ level: "warn", webhook_id: body.id })
        const disabled = yield* said("A webhook is disabled")
        expect(disabled).toMatchObject([{ level: "warn", webhook_id: body.id }])
        // 40 recipients, 80 attempts: lines for writes.
        expect(posts.length + exhausted.length).toBeLessThan(40)

        const exited = once(system.engine.process, "exit")
        system.engine.process.kill("SIGTERM")
        yield* Effect.promise(() => exited)
        yield* said("The node stops")
        yield* said("The node has stopped")
        expect(text).not.toContain("hush-hush-hush")
      }).pipe(Effect.scoped),
    240_000
  )
})
