import { Deferred, Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { goBy } from "../../../../services/ports/Now.ts"
import type { Target } from "../../../../services/ports/audience/AudienceStore.ts"
import type { ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import type { Credential } from "../../../../services/ports/sending/CredentialStore.ts"
import type { Outcome, Provider, Refusal, Settled } from "../../../../services/ports/sending/Provider.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import type { Progress } from "../../../../services/engine/sending/Results.ts"
import type { Sending } from "../../../../services/engine/sending/Sending.ts"
import { sendBatch } from "../../../../services/engine/sending/Sending.ts"
import type { Standing } from "../../../../services/engine/sending/CredentialProbes.ts"
import { makeCredentialProbes } from "../../../../services/engine/sending/CredentialProbes.ts"

const targets = (count: number): ReadonlyArray<Target> =>
  Array.from({ length: count }, () => ({
    id: uuidv7(),
    address: "somebody",
    environment: "production",
    p256dh: null,
    auth: null,
    seenAt: 0
  }))

/** Of a credential that has worked. */
const WORKS: Standing = {
  refusal: () => null,
  refused: () => {},
  proved: () => {},
  accepted: () => {},
  isAcceptedLately: () => true,
  pass: () => Effect.succeed(null)
}

/** A batch for these targets on its way through a provider; what it writes goes into `chunks`. */
const sendingOf = (
  all: ReadonlyArray<Target>,
  { chunks, send, ...over }: Partial<Sending> & Pick<Provider, "send"> & { readonly chunks: Array<ResultChunk> }
): Sending => {
  const [appId, notificationId] = [uuidv7() as AppId, uuidv7() as NotificationId]
  const expiresAt = Date.now() + 60_000
  return {
    batch: {
      id: uuidv7() as BatchId,
      appId,
      notificationId,
      provider: "fcm",
      priority: "bulk",
      attempts: 0,
      reason: null,
      fence: 1,
      suspicion: 0,
      isDoubtful: false,
      credential: null,
      expiresAt: null,
      recipients: all.map(({ id }) => id)
    },
    message: {
      notificationId,
      appId,
      content: { title: "Hello" },
      priority: "bulk",
      expiresAt,
      nowOrNever: false,
      collapseKey: null,
      overrides: {}
    },
    credential: { appId, version: 1 } as Credential,
    heldSince: 0,
    heldUntil: Infinity,
    mayBegin: () => true,
    isUnbroken: () => true,
    untilOpen: Effect.void,
    unsubscribed: new Set(),
    provider: { window: 1, send },
    targets: all,
    progress: { left: all.length, isTaken: false },
    rules: { retryBaseMs: 1, retryMaxMs: 1, leaseMs: 60_000, pauseMs: 1, expiresAt, isOnce: false },
    standing: WORKS,
    slice: Infinity,
    isHalted: Effect.succeed(false),
    isReplaced: Effect.succeed(false),
    giveBack: Effect.void,
    suspend: () => Effect.die("not to be suspended"),
    noteAcceptance: Effect.void,
    save: (chunk) => Effect.sync(() => chunks.push(chunk) > 0),
    extend: Effect.succeed(true),
    ...over
  }
}

it("begins nothing after the notification's expiry, and fails what waited for it as expired", async () => {
  const all = targets(4)
  const chunks: Array<ResultChunk> = []
  const expiresAt = Date.now() + 60
  let begun = 0
  // One of them begins at once, the others when there is room for them: then it is too late.
  const send: Provider["send"] = ({ mayBegin, targets: part }, onOutcome) =>
    Effect.gen(function* () {
      for (const index of part.keys()) {
        if (index === 1) yield* Effect.promise(() => new Promise((go) => setTimeout(go, expiresAt + 1 - Date.now())))
        const isBegun = mayBegin!()
        if (isBegun) begun++
        onOutcome(index, isBegun ? { _tag: "Ok", messageId: null } : { _tag: "Withheld" })
      }
    })
  const rules = { ...sendingOf(all, { send, chunks }).rules, expiresAt }
  await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks, rules })))
  expect(begun).toBe(1)
  const ends = chunks.flatMap(({ final }) => final.statuses.map((status, n) => [status, final.errors[n]]))
  expect(ends).toEqual([["sent", null], ...Array.from({ length: 3 }, () => ["failed", "expired"])])
})

it("tries again later for whom a provider broke over the message, and has the others' results", async () => {
  const all = targets(4)
  const chunks: Array<ResultChunk> = []
  const send: Provider["send"] = (_, onOutcome) =>
    Effect.suspend(() => {
      onOutcome(0, { _tag: "Ok", messageId: null })
      return Effect.die(new TypeError("no such thing"))
    })
  await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks })))
  expect(chunks.flatMap(({ final }) => final.statuses)).toEqual(["sent"])
  expect(chunks.flatMap(({ retries }) => retries)).toMatchObject([
    { attempts: 1, doubtful: true, reason: "internal_error", recipients: all.slice(1).map(({ id }) => id) }
  ])
})

it("notes how many recipients of a batch are left while it is under way", async () => {
  const all = targets(5)
  const left = new Set<number>()
  const progress = {
    set left(value: number) {
      left.add(value)
      if (value === 2) Effect.runFork(Deferred.succeed(last, undefined))
    }
  } as Progress
  const last = await Effect.runPromise(Deferred.make<void>())
  const send: Provider["send"] = ({ targets: part }, onOutcome) =>
    Effect.suspend(() => {
      part.slice(2).forEach((_, index) => onOutcome(index, { _tag: "Ok", messageId: null }))
      return Effect.map(Deferred.await(last), () =>
        part.slice(3).forEach((_, index) => onOutcome(3 + index, { _tag: "Ok", messageId: null }))
      )
    })
  await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks: [], progress })))
  expect([...left]).toEqual([2])
})

it.each([
  ["that was halted", "isHalted"],
  ["whose credential was replaced", "isReplaced"]
])("begins no further slice of a mailing %s, and gives the rest back", async (_, look) => {
  const all = targets(5)
  const chunks: Array<ResultChunk> = []
  const sent: Array<string> = []
  let givenBack = 0
  const asked = await Effect.runPromise(Deferred.make<void>())
  // Slow: it ends only after the batch has looked at its notification.
  const send: Provider["send"] = ({ targets: part }, onOutcome) =>
    Effect.map(Deferred.await(asked), () =>
      part.forEach(({ id }, index) => {
        sent.push(id)
        onOutcome(index, { _tag: "Ok", messageId: null })
      })
    )
  await Effect.runPromise(
    sendBatch(
      sendingOf(all, {
        send,
        chunks,
        slice: 2,
        [look]: Effect.sync(() => {
          setImmediate(() => Effect.runFork(Deferred.succeed(asked, undefined)))
          return true
        }),
        giveBack: Effect.sync(() => void givenBack++)
      })
    )
  )
  const ids = all.map(({ id }) => id)
  expect(sent).toEqual(ids.slice(0, 2))
  expect(chunks.flatMap(({ final }) => final.recipients)).toEqual(ids.slice(0, 2))
  expect(chunks.at(-1)!.remaining).toEqual(ids.slice(2))
  expect(givenBack).toBe(1)
})

it.each([
  ["goes on with the next slice", false],
  ["begins no further slice when it is halted, and gives the rest back", true]
])("%s while a few of one are still to be answered, and counts those once they are", async (_, isHalted) => {
  const all = targets(18)
  const ids = all.map(({ id }) => id)
  const chunks: Array<ResultChunk> = []
  const begun: Array<number> = []
  let givenBack = 0
  const late = await Effect.runPromise(Deferred.make<void>())
  const looked = await Effect.runPromise(Deferred.make<void>())
  const ok = { _tag: "Ok", messageId: null } as const
  // Of each slice of six the last two have their answers in the end, and one of them is not to begin any more.
  const send: Provider["send"] = ({ targets: part }, onOutcome) =>
    Effect.gen(function* () {
      begun.push(part.length)
      if (part.length !== 6) return part.forEach((_, index) => onOutcome(index, ok))
      if (isHalted) yield* Deferred.await(looked)
      for (const index of [0, 1, 2, 3]) onOutcome(index, ok)
      if (begun.length === 3) yield* Deferred.succeed(late, undefined)
      yield* Deferred.await(late)
      onOutcome(4, ok)
      onOutcome(5, { _tag: "Withheld" })
    })
  const halted = Effect.sync(() => {
    setImmediate(() => {
      Effect.runFork(Deferred.succeed(looked, undefined))
      setImmediate(() => Effect.runFork(Deferred.succeed(late, undefined)))
    })
    return true
  })
  const over = { send, chunks, slice: 6, giveBack: Effect.sync(() => void givenBack++) }
  await Effect.runPromise(sendBatch(sendingOf(all, { ...over, ...(isHalted && { isHalted: halted }) })))
  const sent = chunks.flatMap(({ final }) => final.recipients)
  expect(new Set(sent).size).toBe(sent.length)
  if (isHalted) {
    expect(begun).toEqual([6])
    expect(sent).toEqual(ids.slice(0, 5))
    expect(chunks.at(-1)!.remaining).toEqual(ids.slice(5))
  } else {
    // Those that were not to begin go again by themselves, as they come back.
    expect(begun).toEqual([6, 6, 6, 1, 1, 1])
    expect([...sent].sort()).toEqual([...ids].sort())
  }
  expect(givenBack).toBe(isHalted ? 1 : 0)
})

it.each([
  ["that was cancelled", "isHalted"],
  ["whose credential was removed", "isReplaced"]
])(
  "begins no more of a batch %s that its provider has whole, and does not get through in a second",
  async (_, look) => {
    const all = targets(60)
    const ids = all.map(({ id }) => id)
    const chunks: Array<ResultChunk> = []
    let givenBack = 0
    const looked = await Effect.runPromise(Deferred.make<void>())
    const send: Provider["send"] = ({ mayBegin, onBegun, targets: part }, onOutcome) =>
      Effect.gen(function* () {
        for (const index of part.keys()) {
          if (index === 20) yield* Deferred.await(looked)
          const begins = mayBegin!()
          if (begins) onBegun!(index)
          onOutcome(index, begins ? { _tag: "Ok", messageId: null } : { _tag: "Withheld" })
        }
      })
    const halts = Effect.sync(() => {
      setImmediate(() => Effect.runFork(Deferred.succeed(looked, undefined)))
      return true
    })
    const giveBack = Effect.sync(() => void givenBack++)
    await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks, [look]: halts, giveBack })))
    expect(chunks.flatMap(({ final }) => final.recipients)).toEqual(ids.slice(0, 20))
    expect(chunks.at(-1)!.remaining).toEqual(ids.slice(20))
    expect(givenBack).toBe(1)
  }
)

it("spends no attempt on what a credential that was replaced meanwhile did not get through, and may go again", async () => {
  const all = targets(4)
  const chunks: Array<ResultChunk> = []
  let givenBack = 0
  const asked = await Effect.runPromise(Deferred.make<void>())
  const outcomes: ReadonlyArray<Outcome> = [
    { _tag: "Retry", reason: "connection_connect", afterMs: null },
    // It may have been taken.
    { _tag: "Retry", reason: "possibly_delivered", afterMs: null, isUnknown: true },
    { _tag: "Ok", messageId: null }
  ]
  const send: Provider["send"] = (_, onOutcome) =>
    Effect.map(Deferred.await(asked), () => outcomes.forEach((outcome, index) => onOutcome(index, outcome)))
  await Effect.runPromise(
    sendBatch(
      sendingOf(all, {
        send,
        chunks,
        slice: 3,
        isReplaced: Effect.sync(() => {
          setImmediate(() => Effect.runFork(Deferred.succeed(asked, undefined)))
          return true
        }),
        giveBack: Effect.sync(() => void givenBack++)
      })
    )
  )
  const ids = all.map(({ id }) => id)
  expect(chunks.flatMap(({ final }) => final.recipients)).toEqual([ids[2]])
  expect(chunks.flatMap(({ retries }) => retries.flatMap(({ recipients }) => recipients))).toEqual([ids[1]])
  expect(chunks.at(-1)!.remaining).toEqual([ids[0], ids[3]])
  expect(givenBack).toBe(1)
})

it("waits for its provider when the lease cannot be prolonged because the database is away", async () => {
  const chunks: Array<ResultChunk> = []
  let tries = 0
  await Effect.runPromise(
    Effect.gen(function* () {
      const answer = yield* Deferred.make<void>()
      const send: Provider["send"] = (_, onOutcome) =>
        Effect.map(Deferred.await(answer), () => onOutcome(0, { _tag: "Ok", messageId: "1" }))
      const extend = Effect.suspend(() => {
        if (++tries === 1) return Effect.fail(new StoreError({ operation: "extend", cause: "away" }))
        return Effect.as(Deferred.succeed(answer, undefined), true)
      })
      const sending = sendingOf(targets(1), { send, chunks, extend })
      yield* sendBatch({ ...sending, rules: { ...sending.rules, leaseMs: 3 } })
    })
  )
  expect(tries).toBeGreaterThanOrEqual(2)
  expect(chunks.map(({ final }) => final.statuses)).toEqual([["sent"]])
})

it("takes the first of two outcomes of a recipient, and lets nobody else go unaccounted for it", async () => {
  const all = targets(2)
  const chunks: Array<ResultChunk> = []
  const send: Provider["send"] = (_, onOutcome) =>
    Effect.sync(() => {
      onOutcome(0, { _tag: "Ok", messageId: "1" })
      onOutcome(0, { _tag: "Fail", reason: "late" })
    })
  await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks })))
  expect(chunks.map(({ final }) => [final.recipients, final.statuses])).toEqual([[[all[0]!.id], ["sent"]]])
  expect(chunks.at(-1)!.remaining).toEqual([all[1]!.id])
})

it("begins nothing when its lease ended before it came to it, and somebody else has the batch", async () => {
  const chunks: Array<ResultChunk> = []
  let sent = 0
  const send: Provider["send"] = () => Effect.sync(() => void sent++)
  const all = targets(3)
  await Effect.runPromise(
    sendBatch({
      ...sendingOf(all, { send, chunks, heldUntil: performance.now() - 1, extend: Effect.succeed(false) }),
      save: (chunk) =>
        Effect.as(
          Effect.sync(() => chunks.push(chunk)),
          false
        )
    })
  )
  expect(sent).toBe(0)
  expect(chunks.map(({ final, remaining }) => [final.recipients, remaining])).toEqual([[[], all.map(({ id }) => id)]])
})

it("asks whose the batch is after its lease until the database says so, and sends what is its own still", async () => {
  const chunks: Array<ResultChunk> = []
  const done: Array<string> = []
  const send: Provider["send"] = (_, onOutcome) =>
    Effect.sync(() => {
      done.push("sent")
      onOutcome(0, { _tag: "Ok", messageId: "1" })
    })
  const extend = Effect.suspend(() =>
    done.push("asked") === 1
      ? Effect.fail(new StoreError({ operation: "extend", cause: "away" }))
      : Effect.succeed(true)
  )
  await Effect.runPromise(sendBatch(sendingOf(targets(1), { send, chunks, heldUntil: performance.now() - 1, extend })))
  expect(done.filter((one, i) => one !== "asked" || i < 1)).toEqual(["asked", "sent"])
  expect(done.indexOf("sent")).toBeGreaterThanOrEqual(2)
  expect(chunks.map(({ final }) => final.statuses)).toEqual([["sent"]])
})

it("goes on from part to part without a question while writing prolongs the lease", async () => {
  const chunks: Array<ResultChunk> = []
  let asked = 0
  const send: Provider["send"] = (batch, onOutcome) =>
    Effect.sync(() => batch.targets.forEach((_, i) => onOutcome(i, { _tag: "Ok", messageId: "1" })))
  const extend = Effect.sync(() => ++asked > 0)
  await Effect.runPromise(sendBatch(sendingOf(targets(4), { send, chunks, slice: 2, extend })))
  expect(asked).toBe(0)
  expect(chunks.at(-1)!.remaining).toEqual([])
})

it("writes the answers that come after it slept past its lease, when a cancel has ended its batch meanwhile", async () => {
  const all = targets(3)
  const chunks: Array<ResultChunk> = []
  let begun = 0
  await Effect.runPromise(
    Effect.gen(function* () {
      const halted = yield* Deferred.make<void>()
      const send: Provider["send"] = ({ targets: part }, onOutcome) => {
        begun += part.length
        return Effect.map(Deferred.await(halted), () =>
          part.forEach((_, index) => onOutcome(index, { _tag: "Ok", messageId: null }))
        )
      }
      const sending = sendingOf(all, {
        send,
        chunks,
        slice: 2,
        // Over by the time of the first look.
        heldUntil: performance.now() + 100,
        // As the store says when it has ended the batch.
        extend: Effect.succeed(false),
        isHalted: Effect.as(Deferred.succeed(halted, undefined), true)
      })
      yield* sendBatch({ ...sending, rules: { ...sending.rules, leaseMs: 3 } })
    })
  )
  expect(begun).toBe(2)
  expect(chunks.flatMap(({ final }) => final.recipients)).toEqual(all.slice(0, 2).map(({ id }) => id))
})

const REFUSED = "InvalidProviderToken"

/** A provider with some streams that answers after a moment, and asks before it begins as the real ones do. */
const slowProvider = (takes: () => boolean) => {
  const posted: Array<string> = []
  const send: Provider["send"] = ({ mayBegin, targets: part }, onOutcome) =>
    Effect.gen(function* () {
      for (let at = 0; at < part.length; at += 100) {
        const some = part.slice(at, at + 100)
        if (mayBegin?.() === false) {
          some.forEach((_, i) => onOutcome(at + i, { _tag: "Withheld" }))
          continue
        }
        posted.push(...some.map(({ id }) => id))
        yield* Effect.sleep(5)
        some.forEach((_, i) =>
          onOutcome(at + i, takes() ? { _tag: "Ok", messageId: null } : { _tag: "Suspend", reason: REFUSED })
        )
      }
    })
  return { posted, send }
}

const idsOf = (all: ReadonlyArray<Target>) => all.map(({ id }) => id).toSorted()

it("tries a credential that has never worked with one message, of all batches that begin together, and one after repair", async () => {
  let isGood = false
  const { posted, send } = slowProvider(() => isGood)
  const probes = makeCredentialProbes()
  const batches = Array.from({ length: 10 }, () => targets(500))
  const everybody = idsOf(batches.flat())
  const run = (version: number) => {
    const chunks: Array<ResultChunk> = []
    const sendings = batches.map((all) => sendingOf(all, { send, chunks, standing: probes.of(version, false) }))
    return Effect.runPromise(
      Effect.map(Effect.all(sendings.map(sendBatch), { concurrency: "unbounded" }), (report) => ({ chunks, report }))
    )
  }
  const refused = await run(1)
  expect(posted).toHaveLength(1)
  expect(refused.report.map(({ suspend }) => suspend)).toEqual(Array(10).fill(REFUSED))
  const waiting = refused.chunks.flatMap(({ retries }) => retries)
  expect(waiting.every(({ attempts, suspended }) => suspended && attempts === 0)).toBe(true)
  expect(waiting.flatMap(({ recipients }) => recipients).toSorted()).toEqual(everybody)

  isGood = true
  posted.length = 0
  const repaired = await run(2)
  expect(repaired.chunks.flatMap(({ final }) => final.recipients).toSorted()).toEqual(everybody)
  expect(posted.toSorted()).toEqual(everybody)
})

it("tries no credential again that has worked, and begins nothing more with it once it is refused", async () => {
  let isGood = true
  const { posted, send } = slowProvider(() => isGood)
  const probes = makeCredentialProbes()
  const run = (all: ReadonlyArray<Target>) => {
    const chunks: Array<ResultChunk> = []
    return Effect.map(sendBatch(sendingOf(all, { send, chunks, standing: probes.of(1, false) })), () => chunks)
  }
  await Effect.runPromise(run(targets(1)))
  posted.length = 0
  isGood = false
  const both = Effect.all([run(targets(1_000)), run(targets(1_000))], { concurrency: "unbounded" })
  const chunks = (await Effect.runPromise(both)).flat()
  // What was under way at the first refusal: both began at once, and not one message before the others.
  expect(posted).toHaveLength(200)
  expect(chunks.flatMap(({ retries }) => retries.flatMap(({ recipients }) => recipients))).toHaveLength(2_000)
  // A probe that gets through opens it for all.
  isGood = true
  await Effect.runPromise(run(targets(500)))
  expect(posted).toHaveLength(700)
})

it("lets another batch make the probe when the one that had it was stopped before it sent anything", async () => {
  const { posted, send } = slowProvider(() => true)
  const probes = makeCredentialProbes()
  const never = {
    ...sendingOf(targets(3), { send, chunks: [], standing: probes.of(1, false) }),
    extend: Effect.never,
    heldUntil: 0
  }
  const chunks: Array<ResultChunk> = []
  const others = targets(3)
  await Effect.runPromise(
    Effect.gen(function* () {
      const stuck = yield* Effect.forkChild(sendBatch(never))
      yield* Effect.yieldNow
      const waiting = yield* Effect.forkChild(
        sendBatch(sendingOf(others, { send, chunks, standing: probes.of(1, false) }))
      )
      yield* Effect.sleep(20)
      expect(posted).toEqual([])
      yield* Fiber.interrupt(stuck)
      yield* Fiber.join(waiting)
    })
  )
  expect(posted.toSorted()).toEqual(idsOf(others))
})

it("begins nothing that it may not, waits until it may, and sends to each once", async () => {
  const all = targets(4)
  const chunks: Array<ResultChunk> = []
  const sent: Array<string> = []
  let left = 1
  let waits = 0
  const send: Provider["send"] = ({ mayBegin, targets: part }, onOutcome) =>
    Effect.sync(() => {
      part.forEach(({ id }, index) => {
        if (!mayBegin!()) return onOutcome(index, { _tag: "Withheld" })
        sent.push(id)
        onOutcome(index, { _tag: "Ok", messageId: null })
      })
    })
  await Effect.runPromise(
    sendBatch(
      sendingOf(all, {
        send,
        chunks,
        mayBegin: () => left-- > 0,
        untilOpen: Effect.sync(() => {
          waits++
          left = 2
        })
      })
    )
  )
  const ids = all.map(({ id }) => id)
  expect(sent).toEqual(ids)
  expect(waits).toBe(2)
  expect(chunks.flatMap(({ final }) => final.recipients)).toEqual(ids)
  expect(chunks.at(-1)!.remaining).toEqual([])
})

it("asks whose the batch is when the process was taken for dead since it was claimed", async () => {
  const all = targets(2)
  const chunks: Array<ResultChunk> = []
  let sent = 0
  await Effect.runPromise(
    sendBatch({
      ...sendingOf(all, {
        chunks,
        send: () => Effect.sync(() => void sent++),
        heldSince: 1,
        isUnbroken: (since) => since > 1,
        extend: Effect.succeed(false)
      }),
      save: () => Effect.succeed(false)
    })
  )
  expect(sent).toBe(0)
})

it("stops what waits for a database that takes no results when its notification is cancelled", async () => {
  const all = targets(3)
  const chunks: Array<ResultChunk> = []
  let givenBack = 0
  let isHalted = false
  const send: Provider["send"] = ({ targets: part }, onOutcome) =>
    Effect.sync(() => part.forEach((_, index) => onOutcome(index, { _tag: "Withheld" })))
  await Effect.runPromise(
    sendBatch(
      sendingOf(all, {
        send,
        chunks,
        untilOpen: Effect.repeat(Effect.sleep("5 millis"), { until: () => isHalted }).pipe(Effect.asVoid),
        isHalted: Effect.sync(() => (isHalted = true)),
        giveBack: Effect.sync(() => void givenBack++)
      })
    )
  )
  expect(chunks.at(-1)!.remaining).toEqual(all.map(({ id }) => id))
  expect(givenBack).toBe(1)
})

it("writes the answers that come after it slept past its notification's expiry, instead of failing them", async () => {
  const all = targets(2)
  const chunks: Array<ResultChunk> = []
  let clock = Date.now()
  const back = goBy(() => clock)
  const send: Provider["send"] = (_, onOutcome) =>
    Effect.callback<void>((resume) => {
      setTimeout(() => {
        // The process sleeps, and what has come to its sockets meanwhile is read after its timers.
        const until = performance.now() + 1000
        while (performance.now() < until);
        clock += 3_600_000
        setTimeout(() => {
          all.forEach((_, index) => onOutcome(index, { _tag: "Ok", messageId: "m" }))
          resume(Effect.void)
        }, 300)
      }, 10)
    })
  await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks }))).finally(back)
  expect(chunks.flatMap(({ final }) => final.statuses)).toEqual(["sent", "sent"])
})

it("fails what a provider has in hand when its notification has expired, and says whom it may have reached", async () => {
  const all = targets(4)
  const chunks: Array<ResultChunk> = []
  let clock = Date.now()
  const back = goBy(() => clock)
  const send: Provider["send"] = ({ onBegun }, onOutcome) =>
    Effect.suspend(() => {
      for (const index of [0, 1, 2, 2]) onBegun!(index)
      onOutcome(1, { _tag: "Ok", messageId: null })
      // Its request goes again, as far as the provider is concerned; it has its outcome.
      onBegun!(1)
      clock += 3_600_000
      return Effect.never
    })
  await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks }))).finally(back)
  const errors = new Map(
    chunks.flatMap(({ final }) => final.recipients.map((id, n) => [id, final.errors[n] ?? final.statuses[n]]))
  )
  expect(all.map(({ id }) => errors.get(id))).toEqual([
    "expired: possibly_delivered",
    "sent",
    "expired: possibly_delivered",
    "expired"
  ])
})

/** Somebody at a push service of that name. */
const at = (service: string, count: number): ReadonlyArray<Target> =>
  targets(count).map((one) => ({ ...one, address: service }))
const serviceOf = ({ address }: Target) => address

const WAITS: Settled = { _tag: "Slow", scope: "recipient", reason: "service_refuses_sender", afterMs: 10_000 }
const refusal: Refusal = { _tag: "Refused", reason: "Web Push 403", otherwise: () => WAITS }

/**
 * Push services by name, each with the outcome that it gives when it answers. What they were asked is noted in order.
 */
const services = (answers: Readonly<Record<string, Effect.Effect<Outcome>>>) => {
  const asked: Array<string> = []
  const provider: Provider = {
    window: 1,
    serviceOf,
    send: ({ mayBegin, targets: part }, onOutcome) =>
      Effect.forEach(
        part,
        ({ address, id }, index) => {
          if (mayBegin?.() === false) return Effect.sync(() => onOutcome(index, { _tag: "Withheld" }))
          asked.push(id)
          return Effect.map(answers[address]!, (outcome) => onOutcome(index, outcome))
        },
        { concurrency: "unbounded", discard: true }
      )
  }
  return { asked, provider }
}

const OK: Outcome = { _tag: "Ok", messageId: null }

/** A batch at push services, and what it writes. */
const sendTo = Effect.fnUntraced(function* (
  all: ReadonlyArray<Target>,
  { provider, ...over }: Partial<Sending> & Pick<Sending, "provider" | "standing">
) {
  const chunks: Array<ResultChunk> = []
  const sending = sendingOf(all, { send: provider.send, chunks, provider, ...over })
  const expiresAt = Date.now() + 3_600_000
  const report = yield* sendBatch({ ...sending, rules: { ...sending.rules, expiresAt } })
  return { report, chunks, retries: chunks.flatMap(({ retries }) => retries) }
})

const orders: ReadonlyArray<
  readonly [string, <A>(hostile: ReadonlyArray<A>, healthy: ReadonlyArray<A>) => ReadonlyArray<A>]
> = [
  ["first", (hostile, healthy) => [...hostile, ...healthy]],
  ["last", (hostile, healthy) => [...healthy, ...hostile]],
  ["between", (hostile, healthy) => [...hostile.slice(0, 9), ...healthy, ...hostile.slice(9)]]
]

const STRANGERS = Object.fromEntries(
  ["a", "b", "c", "d", "e", "f"].map((name) => [name, Effect.succeed<Outcome>(refusal)])
)
const strangers = Object.keys(STRANGERS).flatMap((name) => at(name, 6))

it("suspends a credential that nobody accepted, once all of a batch is refused, keeps its messages and fails none", async () => {
  const suspended: Array<string> = []
  const all = orders[0]![1](strangers, at("a", 500))
  const { asked, provider } = services(STRANGERS)
  const probes = makeCredentialProbes()
  const suspend = (reason: string) => Effect.sync(() => suspended.push(`${reason} ${asked.length}`) > 0)
  const { chunks, report, retries } = await Effect.runPromise(
    sendTo(all, { provider, standing: probes.of(1, false), suspend })
  )
  expect(suspended).toEqual([`Web Push 403 ${all.length}`])
  expect(report).toMatchObject({ suspend: "Web Push 403", isProved: false })
  expect(chunks.flatMap(({ final }) => final.recipients)).toEqual([])
  expect(retries.every(({ attempts, suspended }) => suspended && attempts === 0)).toBe(true)
  expect(retries.flatMap(({ recipients }) => recipients).toSorted()).toEqual(idsOf(all))
  // Nothing more begins in other batches.
  const { report: after } = await Effect.runPromise(
    Effect.gen(function* () {
      const standing = probes.of(1, false)
      expect(standing.refusal()).toBe("Web Push 403")
      return yield* sendTo(at("a", 3), { provider, standing, suspend: () => Effect.succeed(true) })
    })
  )
  expect(after.suspend).toBe("Web Push 403")
})

it.each(orders)("suspends nothing that works: strangers' six services refuse, and they come %s", async (_, mix) => {
  const healthy = at("healthy", 10)
  const all = mix(strangers, healthy)
  for (const acceptedAt of [null, Date.now() - 23 * 3_600_000]) {
    const { provider } = services({ ...STRANGERS, healthy: Effect.succeed(OK) })
    const standing = makeCredentialProbes().of(1, false, acceptedAt)
    const { chunks, report, retries } = await Effect.runPromise(sendTo(all, { provider, standing }))
    expect(report).toMatchObject({ suspend: null, slow: null, isProved: true, awaitsRepair: true })
    expect(chunks.flatMap(({ final }) => final.recipients).toSorted()).toEqual(idsOf(healthy))
    expect(retries.flatMap(({ recipients }) => recipients).toSorted()).toEqual(idsOf(strangers))
  }
})

it("suspends nothing for strangers alone when another process saw the credential accepted within a day", async () => {
  const run = (acceptedAt: number, suspend: Sending["suspend"]) => {
    const { provider } = services(STRANGERS)
    const standing = makeCredentialProbes().of(1, false, acceptedAt)
    return Effect.runPromise(sendTo(strangers, { provider, standing, suspend }))
  }
  const lately = await run(Date.now() - 23 * 3_600_000, () => Effect.die("not to be suspended"))
  expect(lately.report).toMatchObject({ suspend: null, slow: null, awaitsRepair: true })
  // They go at once with another credential.
  expect(lately.retries.map(({ suspended, slowed }) => ({ suspended, slowed }))).toEqual([
    { suspended: false, slowed: true }
  ])
  // Noted only since the batch was claimed: the store says so.
  const since = await run(Date.now() - 25 * 3_600_000, () => Effect.succeed(false))
  expect(since.report).toMatchObject({ suspend: null, awaitsRepair: true })
  const never = await run(Date.now() - 25 * 3_600_000, () => Effect.succeed(true))
  expect(never.report).toMatchObject({ suspend: "Web Push 403", awaitsRepair: false })
})

it("suspends nothing before all has ended, nor when one of them was not refused", async () => {
  for (const last of [OK, { _tag: "Retry", reason: "timeout", afterMs: null }] as const) {
    let hasEnded = false
    const late = Effect.map(
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
      (): Outcome => {
        hasEnded = true
        return last
      }
    )
    const { provider } = services({ ...STRANGERS, late })
    const { report } = await Effect.runPromise(
      sendTo([...strangers, ...at("late", 1)], { provider, standing: makeCredentialProbes().of(1, false) })
    )
    expect(hasEnded).toBe(true)
    expect(report).toMatchObject({ suspend: null, awaitsRepair: true, isProved: last._tag === "Ok" })
  }
})

it("tries a credential with one message at each of four services, and goes on with the first that is accepted", async () => {
  await Effect.runPromise(
    Effect.gen(function* () {
      const answer = yield* Deferred.make<Outcome>()
      const silent = Effect.never as Effect.Effect<Outcome>
      const { asked, provider } = services({
        x: silent,
        y: Effect.succeed(refusal),
        z: silent,
        healthy: Deferred.await(answer)
      })
      const [x, y, z, healthy] = [at("x", 2), at("y", 2), at("z", 2), at("healthy", 200)] as const
      const probes = makeCredentialProbes()
      const first = yield* Effect.forkChild(
        sendTo([...x, ...y, ...z, ...healthy], { provider, standing: probes.of(1, false) })
      )
      while (asked.length < 4) yield* Effect.yieldNow
      // Another batch, which waits for that probe, is through while the first one still waits for the silent.
      const others = at("healthy", 3)
      const second = yield* Effect.forkChild(sendTo(others, { provider, standing: probes.of(1, false) }))
      for (let i = 0; i < 10; i++) yield* Effect.yieldNow
      expect(asked).toEqual([x, y, z, healthy].map(([one]) => one!.id))
      yield* Deferred.succeed(answer, OK)
      const { chunks } = yield* Fiber.join(second)
      expect(chunks.flatMap(({ final }) => final.recipients).toSorted()).toEqual(idsOf(others))
      expect(first.pollUnsafe()).toBeUndefined()
      expect(asked.toSorted()).toEqual(idsOf([...x, ...y, ...z, ...healthy, ...others]))
      yield* Fiber.interrupt(first)
    })
  )
})

it("lets others try a credential when the services of the first batch keep silent", async () => {
  const { asked, provider } = services({ x: Effect.never as Effect.Effect<Outcome>, healthy: Effect.succeed(OK) })
  const probes = makeCredentialProbes()
  await Effect.runPromise(
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(sendTo(at("x", 1), { provider, standing: probes.of(1, false) }))
      while (asked.length < 1) yield* Effect.yieldNow
      const { report } = yield* sendTo(at("healthy", 1), { provider, standing: probes.of(1, false) })
      expect(report.isProved).toBe(true)
      expect(first.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(first)
    })
  )
})

it("tries a credential with others when the first message has no answer, and holds up nobody for it", async () => {
  const all = targets(200)
  const chunks: Array<ResultChunk> = []
  const asked: Array<number> = []
  const last = await Effect.runPromise(Deferred.make<void>())
  const answer = (id: string) => (id === all[0]!.id ? Deferred.await(last) : Effect.void)
  const send: Provider["send"] = ({ targets: part }, onOutcome) => {
    asked.push(part.length)
    // When all others have been asked, the first is answered.
    if (asked.length === 3) Effect.runFork(Deferred.succeed(last, undefined))
    return Effect.forEach(
      part,
      ({ id }, index) => Effect.map(answer(id), () => onOutcome(index, { _tag: "Ok", messageId: null })),
      { concurrency: "unbounded", discard: true }
    )
  }
  const standing = makeCredentialProbes().of(1, false)
  const report = await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks, standing })))
  expect(asked).toEqual([1, 16, 183])
  expect(report.isProved).toBe(true)
  expect(chunks.flatMap(({ final }) => final.statuses)).toHaveLength(200)
})

it("needs no probe of a credential that another process saw accepted, unless it is refused", async () => {
  const { posted, send } = slowProvider(() => false)
  const probes = makeCredentialProbes()
  const run = () =>
    Effect.runPromise(
      sendBatch(sendingOf(targets(50), { send, chunks: [], standing: probes.of(1, false, Date.now() - 1000) }))
    )
  await run()
  expect(posted).toHaveLength(50)
  await run()
  expect(posted).toHaveLength(51)
})

it("notes for others that a credential is accepted, once an hour and not while somebody else has", () => {
  const probes = makeCredentialProbes()
  let time = 1_000_000_000
  const back = goBy(() => time)
  expect([probes.notes(1, null), probes.notes(1, null), probes.notes(2, time - 1000)]).toEqual([true, false, false])
  probes.unnoted(1)
  expect([probes.notes(1, null), probes.notes(1, null)]).toEqual([true, false])
  time += 3_600_000
  expect([probes.notes(1, null), probes.notes(2, null)]).toEqual([true, true])
  back()
})
