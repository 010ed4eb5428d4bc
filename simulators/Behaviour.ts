/**
 * How a simulator departs from accepting what is right. Rules are asked in order for each request that passed every
 * check (a sender's mistake is refused whatever the rules say); the first that applies is enacted.
 */
export interface Rule {
  /**
   * - `refuse`: answers `status` (503 unless given) with `reason`.
   * - `throttle`: answers 429 with Retry-After of `retryAfter` seconds (1 unless given).
   * - `hang`: never answers.
   * - `delay`: accepts, and answers after `ms`.
   * - `goaway`: announces the end of the connection; this request and later ones are not processed.
   * - `reset`: resets the stream with `code` (REFUSED_STREAM, 7, unless given).
   * - `close`: accepts, then cuts the connection without an answer; what else is under way on it may have no answer
   *   either. With `orderly`, it takes nothing more, and ends the connection when the others have theirs.
   */
  readonly do: "refuse" | "throttle" | "hang" | "delay" | "goaway" | "reset" | "close"
  readonly status?: number
  readonly reason?: string
  /** Seconds. */
  readonly retryAfter?: number
  /** Milliseconds. */
  readonly ms?: number
  /** An HTTP/2 error code. */
  readonly code?: number
  /** Epoch milliseconds: since when APNs says that the token is dead (410); the present unless given. */
  readonly timestamp?: number
  /** Only each nth of the requests that match. */
  readonly every?: number
  /** Only the first n of the requests that match; then the rule is spent. */
  readonly first?: number
  /** Only these tokens or ids; one that ends in `*` is a prefix. */
  readonly match?: ReadonlyArray<string>
  /** Of `close`: the answers to all other requests arrive. */
  readonly orderly?: boolean
  /** Whether the message is taken all the same; by default only by `delay` and `close`. */
  readonly accept?: boolean
}

const ACTIONS = ["refuse", "throttle", "hang", "delay", "goaway", "reset", "close"] as const
const NUMBERS = ["status", "retryAfter", "ms", "code", "timestamp", "every", "first"] as const

/** Reads rules that came over the control API. Throws an Error that names what is wrong. */
export const parseRules = (input: unknown): ReadonlyArray<Rule> => {
  if (!Array.isArray(input)) throw new Error("rules must be a list")
  return input.map((rule: unknown, index) => {
    if (typeof rule !== "object" || rule === null) throw new Error(`rules[${index}] must be an object`)
    const given = rule as Record<string, unknown>
    const known = ["do", "reason", "match", "accept", "orderly", ...NUMBERS] as ReadonlyArray<string>
    for (const name of Object.keys(given))
      if (!known.includes(name)) throw new Error(`rules[${index}].${name} is unknown`)
    if (!ACTIONS.some((action) => action === given["do"])) {
      throw new Error(`rules[${index}].do must be one of ${ACTIONS.join(", ")}`)
    }
    for (const name of NUMBERS) {
      const value = given[name]
      if (value !== undefined && !(typeof value === "number" && Number.isInteger(value) && value >= 0)) {
        throw new Error(`rules[${index}].${name} must be a whole number`)
      }
    }
    if (given["reason"] !== undefined && typeof given["reason"] !== "string") {
      throw new Error(`rules[${index}].reason must be text`)
    }
    for (const name of ["accept", "orderly"]) {
      if (given[name] !== undefined && typeof given[name] !== "boolean") {
        throw new Error(`rules[${index}].${name} must be true or false`)
      }
    }
    const match = given["match"]
    if (match !== undefined && !(Array.isArray(match) && match.every((item) => typeof item === "string"))) {
      throw new Error(`rules[${index}].match must be a list of texts`)
    }
    return given as unknown as Rule
  })
}

interface Active {
  readonly rule: Rule
  readonly exact: ReadonlySet<string> | null
  readonly prefixes: ReadonlyArray<string>
  seen: number
}

const activate = (rule: Rule): Active => ({
  rule,
  exact: rule.match === undefined ? null : new Set(rule.match.filter((item) => !item.endsWith("*"))),
  prefixes: (rule.match ?? []).filter((item) => item.endsWith("*")).map((item) => item.slice(0, -1)),
  seen: 0
})

/** A simulator's control object: the rules in force, changed while it runs. */
export class Behaviour {
  #active: ReadonlyArray<Active> = []

  /** Replaces all rules; their counts start at nothing. None: accept everything that is right. */
  set(...rules: ReadonlyArray<Rule>): void {
    this.#active = rules.map(activate)
  }

  get rules(): ReadonlyArray<Rule> {
    return this.#active.map((active) => active.rule)
  }

  /** The rule to enact for a request that carries these tokens or ids. */
  next(...names: ReadonlyArray<string>): Rule | undefined {
    for (const active of this.#active) {
      const { exact, prefixes, rule } = active
      if (exact !== null) {
        if (!names.some((name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix)))) continue
      }
      active.seen++
      if (rule.first !== undefined && active.seen > rule.first) continue
      if (rule.every !== undefined && rule.every > 0 && active.seen % rule.every !== 0) continue
      return rule
    }
    return undefined
  }
}

export interface Refusal {
  readonly status: number
  readonly reason: string | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined
  readonly timestamp: number | undefined
}

/** What a rule may do to one request. */
export interface Enactable {
  readonly accept: () => void
  readonly ok: () => void
  readonly refuse: (refusal: Refusal) => void
  readonly goaway: () => void
  readonly reset: (code: number) => void
  readonly close: (orderly: boolean) => void
}

/** RFC 9113: the request was not processed and may be sent again. */
export const REFUSED_STREAM = 7

const refusal = (rule: Rule, status: number, retryAfter: number | undefined): Refusal => ({
  status: rule.status ?? status,
  reason: rule.reason,
  retryAfter: rule.retryAfter ?? retryAfter,
  timestamp: rule.timestamp
})

export const enact = (rule: Rule, on: Enactable): void => {
  if (rule.accept ?? (rule.do === "delay" || rule.do === "close")) on.accept()
  switch (rule.do) {
    case "refuse":
      return on.refuse(refusal(rule, 503, undefined))
    case "throttle":
      return on.refuse(refusal(rule, 429, 1))
    case "hang":
      return
    case "delay":
      setTimeout(on.ok, rule.ms ?? 0)
      return
    case "goaway":
      return on.goaway()
    case "reset":
      return on.reset(rule.code ?? REFUSED_STREAM)
    case "close":
      return on.close(rule.orderly === true)
  }
}
