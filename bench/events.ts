import type { Stage } from "./Child.ts"
import { lastingPort, onStage, pause } from "./Child.ts"
import type { Benchmark, Options, Result, Row, Table, Turn } from "./Harness.ts"
import { measure, quantile, Rounds, totalCpu } from "./Harness.ts"
import type { Customer, Receivers } from "./events/Customers.ts"
import { makeCustomers, receiversOn } from "./events/Customers.ts"
import { CONTENT } from "./mailing/Content.ts"
import type { Counting, Mailer } from "./mailing/Mailer.ts"
import { apnsCredential, processesOf, startMailer } from "./mailing/Mailer.ts"
import { webhookSink, identity, leanSink } from "./sinks/Sinks.ts"
import type { PostAnswer, PostOrder } from "./webhooks/Poster.ts"

/*
 * Webhooks through the whole engine: (a) the mailing of the demo, 10,000 devices and two webhooks, which makes 20,000 posts,
 * beside the bare webhook layer posting as many to the same kind of receiver, on a machine of its own and while the same
 * mailing goes out without webhooks, and beside undici's `request`; (b) how old events are when they reach 100 healthy webhooks
 * under steady loads, of 500 and of 1,000 posts a second, undisturbed and beside one webhook that refuses connections and one
 * that answers after 9 seconds, both in applications that healthy ones share. Turns of one round follow each other at
 * once: a ratio is the median of those within a round.
 *
 *   npm run bench -- events [--short] [--devices 10000] [--rounds 7] [--seconds 10] [--neighbour-rounds 7]
 */

interface Part {
  readonly table: Table
  readonly facts: Result["facts"]
}

const WEBHOOKS = 2
const TIMEOUT_MS = 60_000
/**
 * The steady loads: every customer's devices get a message so often, and each message is an event for each of its webhooks:
 * 500 and 1,000 posts a second to healthy webhooks.
 */
const LOADS_MS = [1_000, 500] as const
const CUSTOMERS = 6
const DEVICES_EACH = 5
const HEALTHY = 100

const untilPosts = async (receivers: Receivers, posts: number): Promise<void> => {
  for (const begun = performance.now(); ; await pause(20)) {
    const { posts: seen } = await receivers.ask({ what: "count" })
    if (seen >= posts) return
    if (performance.now() - begun > TIMEOUT_MS) throw new Error(`${seen} webhooks of ${posts} arrived`)
  }
}

const mailings = async (stage: Stage, mailer: Mailer, sink: Counting, options: Options): Promise<Part> => {
  const devices = Number(options.flags.get("devices") ?? 10_000)
  const posts = devices * WEBHOOKS
  await mailer.engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
  await mailer.register(devices)
  const receivers = await receiversOn(stage)
  const ids: Array<string> = []
  for (let n = 0; n < WEBHOOKS; n++) {
    const url = `http://127.0.0.1:${receivers.port}/webhook-${n}`
    const webhook = { name: `webhook ${n}`, url, secret: `secret-${n}`, events: ["NOTIFICATION_SENT"] }
    ids.push((await mailer.engine.call("POST", "/api/v1/webhooks", webhook)).id)
  }
  const bare = await webhookSink(stage)
  const posterOf = (kind: "own" | "request") =>
    stage.servant<PostOrder, PostAnswer>(new URL("webhooks/Poster.ts", import.meta.url), [kind, String(bare.port), "0"])
  const [poster, peer] = [await posterOf("own"), await posterOf("request")]
  const rates = new Rounds()
  const noted = (who: string, round: number, turn: Turn): Turn => {
    rates.note(who, round, turn.operations / turn.seconds)
    return turn
  }
  const activate = async (isActive: boolean): Promise<void> => {
    for (const id of ids) await mailer.patch(`/api/v1/webhooks/${id}`, { is_active: isActive })
  }
  const mailing = async (round: number): Promise<Turn> => {
    await activate(true)
    await receivers.ask({ what: "reset" })
    const begun = Date.now()
    await mailer.mail()
    const [sentAt, { posts: early }] = [Date.now(), await receivers.ask({ what: "count" })]
    await untilPosts(receivers, posts)
    const taken = await receivers.ask({ what: "take" })
    if (taken.posts !== posts) throw new Error(`${taken.posts} webhooks for ${posts} events`)
    const late = (posts - early) / Math.max(1, taken.last - sentAt)
    rates.note("late", round, late * 1000)
    return noted("mailing", round, {
      operations: posts,
      // The rate is that of the posts themselves; sending goes on beside them.
      seconds: (taken.last - taken.first) / 1000,
      more: {
        "s from the request to the last post": (taken.last - begun) / 1000,
        "posts a second after the mailing's end": late * 1000
      }
    })
  }
  const alone = async (round: number): Promise<Turn> =>
    noted("alone", round, { operations: posts, ...(await poster.ask({ count: posts })) })
  const request = async (round: number): Promise<Turn> =>
    noted("request", round, { operations: posts, ...(await peer.ask({ count: posts })) })
  const besideMailing = async (round: number): Promise<Turn> => {
    await activate(false)
    const [posted] = await Promise.all([poster.ask({ count: posts }), mailer.mail()])
    return noted("beside", round, { operations: posts, ...posted })
  }
  const table = await measure({
    title: `${posts.toLocaleString("en-US")} posts of a mailing to ${devices.toLocaleString("en-US")} devices with two webhooks`,
    what: "posts",
    base: "the webhook layer alone",
    rounds: Number(options.flags.get("rounds") ?? (options.short ? 2 : 7)),
    // An engine that runs for days is measured: its first mailing costs three times the fifth, all of it compilation.
    warmUp: options.short ? 1 : 4,
    contenders: [
      { name: "a mailing's webhooks", processes: processesOf(mailer, [sink.pid, receivers.pid]), turn: mailing },
      {
        name: "the webhook layer alone",
        processes: { engine: () => [poster.pid], sink: () => [bare.pid] },
        turn: alone
      },
      {
        name: "the webhook layer beside a mailing without webhooks",
        processes: {
          engine: () => [poster.pid],
          mailing: () => [mailer.engine.process.pid!, mailer.engine.postmaster],
          sink: () => [sink.pid, bare.pid]
        },
        turn: besideMailing
      },
      {
        name: "undici request alone",
        processes: { engine: () => [peer.pid], sink: () => [bare.pid] },
        turn: request
      }
    ]
  })
  const [through, bareAlone, bareBeside] = table.rows as [Row, Row, Row]
  return {
    table,
    facts: {
      "a mailing's posts a second": through.perSecond,
      "the webhook layer alone, posts a second": bareAlone.perSecond,
      "the webhook layer beside a mailing without webhooks, posts a second": bareBeside.perSecond,
      "rate of a mailing's posts over that of undici request, which sends and records nothing (at least 1)":
        rates.ratio("mailing", "request"),
      "rate of a mailing's posts over that of the layer alone": rates.ratio("mailing", "alone"),
      "rate of the posts after the mailing's end over that of the layer alone": rates.ratio("late", "alone"),
      "rate of a mailing's posts over that of the layer beside a mailing": rates.ratio("mailing", "beside"),
      "CPU µs of a post in the layer alone": totalCpu(bareAlone.cpu),
      "CPU µs of a mailing's post with its records, PostgreSQL included, without the mailing itself":
        totalCpu(through.cpu) - bareBeside.cpu["mailing"]!
    }
  }
}

/** A message to every device of every customer, evenly over the time; answers how many posts healthy webhooks are to get. */
const load = async (
  customers: ReadonlyArray<Customer>,
  healthy: ReadonlyArray<number>,
  everyMs: number,
  seconds: number
) => {
  const begun = performance.now()
  let expected = 0
  const sent: Array<Promise<unknown>> = []
  const gap = everyMs / customers.length
  for (let turn = 0; turn * gap < seconds * 1000; turn++) {
    const n = turn % customers.length
    await pause(Math.max(0, begun + turn * gap - performance.now()))
    const { call, devices } = customers[n]!
    sent.push(call("POST", "/api/v1/notifications", { to: { device_ids: devices }, content: CONTENT }))
    expected += healthy[n]! * devices.length
  }
  await Promise.all(sent)
  return expected
}

const neighbours = async (
  stage: Stage,
  mailer: Mailer,
  sink: Counting,
  options: Options
): Promise<ReadonlyArray<Part>> => {
  const seconds = Number(options.flags.get("seconds") ?? (options.short ? 4 : 10))
  const receivers = await receiversOn(stage)
  const customers = await makeCustomers(mailer, sink, CUSTOMERS, DEVICES_EACH)
  const healthy = customers.map(() => 0)
  for (let n = 0; n < HEALTHY; n++) {
    const [customer, url] = [n % CUSTOMERS, `http://127.0.0.1:${receivers.port}/healthy-${n}`]
    await customers[customer]!.call("POST", "/api/v1/webhooks", { name: `healthy ${n}`, url, secret: `secret-${n}` })
    healthy[customer]!++
  }
  const nobody = await lastingPort()
  const bad: Array<{ readonly customer: Customer; readonly id: string }> = []
  for (const [n, url] of [`http://127.0.0.1:${nobody}/dead`, `http://127.0.0.1:${receivers.port}/slow`].entries()) {
    const customer = customers[n]!
    const webhook = { name: `bad ${n}`, url, secret: "secret", is_active: false }
    bad.push({ customer, id: (await customer.call<{ id: string }>("POST", "/api/v1/webhooks", webhook)).id })
  }
  const turn = async (everyMs: number, slowest: Rounds, isDisturbed: boolean, round: number): Promise<Turn> => {
    for (const { customer, id } of bad) {
      await customer.call("PATCH", `/api/v1/webhooks/${id}`, { is_active: isDisturbed })
    }
    // What the slow one still holds from the turn before would disturb this one too.
    if (!isDisturbed) while ((await receivers.ask({ what: "count" })).slowOpen > 0) await pause(50)
    await receivers.ask({ what: "reset" })
    const begun = performance.now()
    const expected = await load(customers, healthy, everyMs, seconds)
    await untilPosts(receivers, expected)
    const { ages, slowOpen } = await receivers.ask({ what: "take" })
    if (ages.length !== expected) throw new Error(`${ages.length} webhooks for ${expected} events`)
    if (isDisturbed && slowOpen === 0) throw new Error("The slow webhook was not posted to")
    slowest.note(String(isDisturbed), round, quantile(ages, 0.99))
    return {
      operations: expected,
      seconds: (performance.now() - begun) / 1000,
      more: { "p50 ms": quantile(ages, 0.5), "p99 ms": quantile(ages, 0.99), "most ms": Math.max(...ages) }
    }
  }
  const processes = processesOf(mailer, [sink.pid, receivers.pid])
  const under = async (everyMs: number): Promise<Part> => {
    const slowest = new Rounds()
    const perSecond = ((HEALTHY * DEVICES_EACH * 1000) / everyMs).toLocaleString("en-US")
    const table = await measure({
      title: `${HEALTHY} healthy webhooks at ${perSecond} posts a second, from the event to the receiver`,
      what: "posts to healthy webhooks",
      base: "undisturbed",
      rounds: Number(options.flags.get("neighbour-rounds") ?? (options.short ? 3 : 7)),
      contenders: [
        { name: "undisturbed", processes, turn: (round) => turn(everyMs, slowest, false, round) },
        { name: "beside a dead and a slow one", processes, turn: (round) => turn(everyMs, slowest, true, round) }
      ]
    })
    const p99 = (row: number) => table.rows[row]!.more["p99 ms"]!
    return {
      table,
      facts: {
        [`p99 ms of 100 healthy webhooks at ${perSecond}/s, undisturbed`]: p99(0),
        [`p99 ms of 100 healthy webhooks at ${perSecond}/s beside a dead and a slow one`]: p99(1),
        [`p99 at ${perSecond}/s beside bad webhooks over p99 undisturbed (at most 2)`]: slowest.ratio("true", "false")
      }
    }
  }
  const parts: Array<Part> = []
  for (const everyMs of LOADS_MS) parts.push(await under(everyMs))
  return parts
}

export const benchmark: Benchmark = {
  name: "events",
  about: "webhooks through the whole engine: a mailing's 20,000 posts, and healthy webhooks beside bad ones",
  run: (options) =>
    onStage(async (stage) => {
      const at = await identity(stage)
      const sink = await leanSink(stage, at)
      const mailer = await startMailer(stage, { caFile: at.ca, settings: {} })
      const posts = await mailings(stage, mailer, sink, options)
      const parts = [posts, ...(await neighbours(stage, mailer, sink, options))]
      return {
        name: "events",
        tables: parts.map(({ table }) => table),
        facts: Object.assign({}, ...parts.map(({ facts }) => facts))
      }
    })
}
