import { Behaviour, enact, type Enactable, type Rule } from "./Behaviour.ts"
import { Ledger } from "./Ledger.ts"

/** Where a simulator listens. */
export interface Listen {
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** 0, or nothing: any free port. */
  readonly port?: number
  /** The host that clients use, in URLs; `host` unless given, and loopback when that is every address. */
  readonly advertise?: string
}

/** The host and port that clients use, as in a URL. */
export const authorityOf = (listen: Listen, port: number): string => {
  const { advertise, host = "127.0.0.1" } = listen
  const name = advertise ?? (host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host)
  return `${name.includes(":") ? `[${name}]` : name}:${port}`
}

export interface Stats {
  /** Requests read to their end (messages offered, for mail). */
  readonly requests: number
  /** Acceptances, repeats included. */
  readonly accepted: number
  /** Acceptances of a message that had been accepted before. */
  readonly duplicates: number
  /** A sender's mistakes and what is refused of itself (dead tokens), by reason. */
  readonly refused: Readonly<Record<string, number>>
  /** Messages without service_notification_id and service_device_id; also counted in `refused`. */
  readonly malformed: number
  /** Requests on which a rule was enacted, by what it did. */
  readonly enacted: Readonly<Record<string, number>>
  /** Connections accepted since the start. */
  readonly connections: number
}

/** A simulator at work. */
export interface Running {
  readonly port: number
  readonly url: string
  readonly control: Behaviour
  readonly stats: () => Stats
  /** Every accepted message's key with the number of times it was accepted. Pushes: `notification id:device id`. */
  readonly received: () => Map<string, number>
  /** The same without copying. */
  readonly entries: () => Iterable<readonly [key: string, count: number]>
  /** Forgets what was received and counted; rules and credentials stay. */
  readonly reset: () => void
  readonly close: () => Promise<void>
}

/** What all simulators keep: the ledger, the rules, the counters. */
export class Simulator {
  readonly control = new Behaviour()
  readonly ledger = new Ledger()
  requests = 0
  malformed = 0
  connections = 0
  readonly #refused = new Map<string, number>()
  readonly #enacted = new Map<string, number>()

  refused(reason: string): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1)
  }

  /** Ends a request that passed every check: by the first rule that applies to its `names`, else by accepting it. */
  settle(names: ReadonlyArray<string>, on: Enactable): void {
    const rule = this.control.next(...names)
    if (rule === undefined) {
      on.accept()
      on.ok()
      return
    }
    this.enact(rule, on)
  }

  enact(rule: Rule, on: Enactable): void {
    this.#enacted.set(rule.do, (this.#enacted.get(rule.do) ?? 0) + 1)
    enact(rule, on)
  }

  stats(): Stats {
    return {
      requests: this.requests,
      accepted: this.ledger.accepted,
      duplicates: this.ledger.duplicates,
      refused: Object.fromEntries(this.#refused),
      malformed: this.malformed,
      enacted: Object.fromEntries(this.#enacted),
      connections: this.connections
    }
  }

  reset(): void {
    this.ledger.clear()
    this.requests = 0
    this.malformed = 0
    this.connections = 0
    this.#refused.clear()
    this.#enacted.clear()
  }

  /** The running simulator's face, over what listens for it. */
  running(listening: { readonly port: number; readonly url: string; readonly close: () => Promise<void> }): Running {
    return {
      ...listening,
      control: this.control,
      stats: () => this.stats(),
      received: () => new Map(this.ledger.entries()),
      entries: () => this.ledger.entries(),
      reset: () => this.reset()
    }
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isUuid = (value: unknown): value is string => typeof value === "string" && UUID.test(value)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A body as a JSON object, or undefined. */
export const parseObject = (body: Buffer | string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
