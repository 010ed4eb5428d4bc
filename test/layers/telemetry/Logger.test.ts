import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Redacted } from "effect"
import { Writable } from "node:stream"
import { layer as settingsLayer } from "../../../layers/config/Settings.ts"
import { starting } from "../../../layers/local/Handler.ts"
import { layerTo, sinkOf } from "../../../layers/telemetry/Logger.ts"
import { mask } from "../../../layers/telemetry/mask.ts"
import { QueueUnavailable } from "../../../services/ports/operations/JobQueue.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"

const logged = (
  program: Effect.Effect<unknown>,
  options: { readonly level?: string; readonly isTerminal?: boolean } = {}
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const sink = { isTerminal: options.isTerminal ?? false, write: (line: string) => void lines.push(line) }
    yield* Effect.provide(program, Layer.provide(layerTo(sink), settingsLayer({ LOG_LEVEL: options.level })))
    return lines
  })

const one = (lines: ReadonlyArray<string>) => {
  assert.strictEqual(lines.length, 1)
  return JSON.parse(lines[0]!) as Record<string, unknown>
}

describe("what the log is written to", () => {
  it("keeps no more than some megabytes of lines for a reader that stands still", () => {
    const stream = new Writable({ write: () => {} })
    const sink = sinkOf(stream)
    for (let line = 0; line < 1000; line++) sink.write("x".repeat(100_000))
    assert.isBelow(stream.writableLength, 10_000_000)
    assert.isAbove(stream.writableLength, 5_000_000)
  })
})

describe("mask", () => {
  it("hides the user of a URL, whatever stands in front of it", () => {
    assert.strictEqual(
      mask(`${"x".repeat(40)}postgres://ada:hush@db/x`),
      `${"x".repeat(40)}postgres://[credential]@db/x`
    )
    assert.strictEqual(mask("http://a/b@c, ftp://d e@f"), "http://a/b@c, ftp://d e@f")
  })
})

describe("Logger", () => {
  it.effect("writes one JSON object a line, with time, level, message and annotations", () =>
    Effect.gen(function* () {
      const lines = yield* logged(
        Effect.logInfo("Batch", "done").pipe(Effect.annotateLogs({ batch: "b-1", sent: 500, nested: { a: [1] } }))
      )
      assert.isTrue(lines[0]!.startsWith('{"time":"') && lines[0]!.endsWith("}\n"))
      const { time, ...rest } = one(lines)
      assert.strictEqual(new Date(String(time)).toISOString(), time)
      assert.deepStrictEqual(rest, {
        level: "info",
        message: "Batch done",
        batch: "b-1",
        sent: 500,
        nested: { a: [1] }
      })
    })
  )

  it.effect("keeps an entry on one line, whatever a customer's text contains", () =>
    Effect.gen(function* () {
      const evil = 'a\r\n{"level":"error"}\u2028\x1b[31m'
      const program = Effect.logInfo(evil).pipe(Effect.annotateLogs({ name: evil }))
      const json = yield* logged(program)
      assert.strictEqual(json[0]!.indexOf("\n"), json[0]!.length - 1)
      assert.strictEqual(one(json)["message"], evil)
      const [line] = yield* logged(program, { isTerminal: true })
      assert.strictEqual(line!.indexOf("\n"), line!.length - 1)
      assert.notInclude(line!, "\x1b[31m")
    })
  )

  it.effect("does not let an annotation displace time, level or message", () =>
    Effect.gen(function* () {
      const entry = one(
        yield* logged(Effect.logWarning("real").pipe(Effect.annotateLogs({ message: "x", level: "y" })))
      )
      assert.deepInclude(entry, { message: "real", level: "warn" })
    })
  )

  it.effect("logs from the level of the settings on", () =>
    Effect.gen(function* () {
      const all = Effect.all([Effect.logDebug("d"), Effect.logInfo("i"), Effect.logWarning("w"), Effect.logError("e")])
      const messages = (level?: string) =>
        Effect.map(logged(all, level === undefined ? {} : { level }), (lines) =>
          lines.map((line) => (JSON.parse(line) as { readonly message: string }).message).join("")
        )
      assert.strictEqual(yield* messages(), "iwe")
      assert.strictEqual(yield* messages("debug"), "diwe")
      assert.strictEqual(yield* messages("warn"), "we")
      assert.strictEqual(yield* messages("error"), "e")
    })
  )

  it.effect("tells the cause of a failure, with its stack", () =>
    Effect.gen(function* () {
      const failing = Effect.die(new Error("out of space")).pipe(
        Effect.catchCause((cause) => Effect.logError("A chunk was not written", cause))
      )
      const entry = one(yield* logged(failing))
      assert.strictEqual(entry["message"], "A chunk was not written")
      assert.match(String(entry["error"]), /out of space\n\s+at /)
      const [line] = yield* logged(failing, { isTerminal: true })
      assert.include(line!, "out of space")
      assert.notMatch(line!, /\n\s+at /)
    })
  )

  it.effect("tells the causes of an error that has no message of its own, among the words or as a cause", () =>
    Effect.gen(function* () {
      const refused = new QueueUnavailable({ cause: new Error("no stream takes the subject") })
      const aside = new StoreError({ operation: "sweep", cause: new AggregateError([new Error("ECONNREFUSED ::1")]) })
      const failed = Effect.logWarning("The sweep failed", refused, aside)
      const entry = one(yield* logged(failed))
      assert.strictEqual(entry["message"], "The sweep failed")
      assert.strictEqual(
        entry["error"],
        "QueueUnavailable: no stream takes the subject; StoreError (operation=sweep): AggregateError (ECONNREFUSED ::1)"
      )
      const caught = one(yield* logged(Effect.logWarning("The sweep failed", Cause.fail(refused))))
      assert.match(String(caught["error"]), /^QueueUnavailable: no stream takes the subject\n/)
      const [line] = yield* logged(failed, { isTerminal: true })
      assert.include(line!, "(QueueUnavailable: no stream takes the subject; StoreError (operation=sweep)")
      assert.notProperty(one(yield* logged(Effect.logWarning("The sweep failed"))), "error")
    })
  )

  it.effect("ends when an error is its own cause", () =>
    Effect.gen(function* () {
      const error = new Error("round")
      error.cause = error
      assert.strictEqual(one(yield* logged(Effect.logError("x", error)))["error"], "round")
    })
  )

  it.effect("writes values that JSON does not know", () =>
    Effect.gen(function* () {
      const circle: Record<string, unknown> = {}
      circle["self"] = circle
      const entry = one(
        yield* logged(Effect.logInfo("odd").pipe(Effect.annotateLogs({ circle, big: 10n, error: new Error("inner") })))
      )
      assert.deepInclude(entry, { big: "10", error: "inner", circle: "[object Object]" })
    })
  )

  it.effect("writes no secret, wherever it comes from", () =>
    Effect.gen(function* () {
      const key = `sk_${"a1B2".repeat(8)}`
      const pem = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----"
      const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNIn0.c2lnbmF0dXJl"
      const secrets = [key, "MIGHAgEAMBMG", jwt, "hunter2hunter2", "pa55word", "ab".repeat(32), "0pen5esame"]
      const program = Effect.logError(
        `refused: Authorization: ApiKey ${key}`,
        { header: `Bearer hunter2hunter2`, pem },
        Redacted.make("hunter2hunter2")
      ).pipe(
        Effect.annotateLogs({
          database: "postgres://heliograph:pa55word@db.internal:5432/heliograph",
          token: jwt,
          said: "554 5.7.1 refused: user=ann password=0pen5esame",
          wrapped: { deep: Redacted.make("hunter2hunter2") },
          signature: `t=1, v1=${"ab".repeat(32)}`
        }),
        Effect.andThen(
          Effect.fail(new Error(`connect nats://user:pa55word@nats:4222 with ${pem}`)).pipe(
            Effect.catchCause((cause) => Effect.logError("x", cause))
          )
        )
      )
      for (const isTerminal of [false, true]) {
        const lines = (yield* logged(program, { isTerminal, level: "debug" })).join("")
        for (const secret of secrets) assert.notInclude(lines, secret)
        assert.include(lines, "db.internal:5432")
      }
    })
  )

  it.effect("leaves ordinary words alone", () =>
    Effect.gen(function* () {
      const words =
        "Basic settings: the public addresses of https://example.com/a@b, sk_ keys and Bearer authentication"
      assert.strictEqual(one(yield* logged(Effect.logInfo(words)))["message"], words)
    })
  )

  it.effect("writes a short line for eyes on a terminal", () =>
    Effect.gen(function* () {
      const [line] = yield* logged(Effect.logInfo("Listening").pipe(Effect.annotateLogs({ port: 8080 })), {
        isTerminal: true
      })
      assert.match(line!, /^\S*\d\d:\d\d:\d\d\.\d{3}\S* \S*info \S* Listening \S*port=8080\S*\n$/)
    })
  )

  it.effect("names the ids of what a failed job, lane or webhook is about", () =>
    Effect.gen(function* () {
      const appId = "01a1fbeb-b609-74f0-81a3-2762ff434392"
      const jobs = [
        [
          { type: "PlanV1", id: "n", priority: "bulk" },
          { job: "PlanV1", notification_id: "n" }
        ],
        [
          { type: "SendV1", id: `${appId}:apns`, priority: "high" },
          { job: "SendV1", app_id: appId, provider: "apns" }
        ],
        [
          { type: "WebhookV1", id: "h", priority: "bulk" },
          { job: "WebhookV1", webhook_id: "h" }
        ]
      ] as const
      for (const [job, about] of jobs) {
        const failed = Effect.gen(function* () {
          const start = yield* starting(() =>
            Effect.fail(new Error("postgres://heliograph:hunter2@db does not answer"))
          )
          yield* Effect.callback<void>((resume) => start(job, () => resume(Effect.void)))
        })
        const entry = one(yield* logged(failed))
        assert.deepInclude(entry, { level: "warn", ...about })
        assert.include(String(entry["error"]), "postgres://[credential]@db")
        assert.notInclude(JSON.stringify(entry), "hunter2")
      }
    })
  )
})
