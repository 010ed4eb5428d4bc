import { cpuOf } from "./Cpu.ts"

/*
 * How everything here is measured: contenders take turns, each once a round, so that what disturbs the machine disturbs
 * all of them; a first round warms up and does not count; figures are medians over the rounds, ratios are medians of
 * the ratios within each round. CPU is what the kernel charged to whole process trees between the two ends of a turn.
 */

export interface Options {
  /** About two minutes for everything, for CI: fewer rounds and smaller sizes. */
  readonly short: boolean
  /** Further flags of the command line, `--name value`. */
  readonly flags: ReadonlyMap<string, string>
}

/** What a turn did. */
export interface Turn {
  readonly operations: number
  readonly seconds: number
  /** Anything else worth telling, by name with its unit, such as `p99 ms`. */
  readonly more?: Readonly<Record<string, number>>
}

export interface Contender {
  readonly name: string
  /** Whose CPU counts, by a name such as `engine`: the roots of process trees, asked before and after each turn. */
  readonly processes: Readonly<Record<string, () => ReadonlyArray<number>>>
  readonly turn: (round: number) => Promise<Turn>
  /** What must hold after a turn; what it costs is not charged to it. */
  readonly check?: () => Promise<void>
}

export interface Row {
  readonly name: string
  readonly perSecond: number
  readonly slowest: number
  readonly fastest: number
  /** Microseconds of CPU for each operation. */
  readonly cpu: Readonly<Record<string, number>>
  readonly more: Readonly<Record<string, number>>
  /** Rate over that of the table's base, and the base's CPU over this one's (all that count, but the sink). */
  readonly rateRatio: number
  readonly cpuRatio: number
}

export interface Table {
  readonly title: string
  /** What is counted, in the plural. */
  readonly what: string
  /** The row that the ratios refer to. */
  readonly base: string
  readonly rounds: number
  readonly rows: ReadonlyArray<Row>
}

export interface Result {
  readonly name: string
  readonly tables: ReadonlyArray<Table>
  /** Single figures with their units in their names, and claims with what was measured. */
  readonly facts: Readonly<Record<string, number | string | boolean>>
}

export interface Benchmark {
  readonly name: string
  readonly about: string
  readonly run: (options: Options) => Promise<Result>
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

/** The median over the rounds of one contender's figure over another's in the same round; the warm-up does not count. */
export class Rounds {
  readonly #figures = new Map<string, Map<number, number>>()

  note(who: string, round: number, figure: number): void {
    if (round < 0) return
    const known = this.#figures.get(who) ?? new Map<number, number>()
    this.#figures.set(who, known.set(round, figure))
  }

  ratio(who: string, over: string): number {
    const base = this.#figures.get(over)!
    return median([...this.#figures.get(who)!].map(([round, figure]) => figure / base.get(round)!))
  }
}

/** Whose CPU is not part of a comparison: the far side of all contenders alike. */
const FAR = new Set(["sink", "load"])

const total = (cpu: Readonly<Record<string, number>>): number =>
  Object.entries(cpu).reduce((sum, [name, value]) => (FAR.has(name) ? sum : sum + value), 0)

interface Measured extends Turn {
  readonly cpu: Record<string, number>
}

/** A turn that says nothing, such as one in which a server that is too busy refused requests: it is taken again. */
export class VoidTurn extends Error {}

/** After so many in a row it is no accident. */
const MOST_VOID = 3

/** Takes a turn again while it is void. */
export const again = async <A>(turn: () => Promise<A>): Promise<A> => {
  for (let tries = 1; ; tries++) {
    try {
      return await turn()
    } catch (error) {
      if (!(error instanceof VoidTurn) || tries === MOST_VOID) throw error
      say(`taken again: ${error.message}`)
    }
  }
}

const measured = async (contender: Contender, round: number): Promise<Measured> => {
  const read = () =>
    Object.entries(contender.processes).map(([name, roots]): readonly [string, number] => [name, cpuOf(roots())])
  const before = new Map(read())
  const turn = await contender.turn(round)
  const cpu = Object.fromEntries(
    read().map(([name, after]) => [name, (after - (before.get(name) ?? 0)) / turn.operations])
  )
  await contender.check?.()
  return { ...turn, cpu }
}

export const say = (line: string): void => void process.stderr.write(`${line}\n`)

export interface Measure {
  readonly title: string
  readonly what: string
  readonly base: string
  readonly rounds: number
  /** Rounds that come first and do not count; 1 unless given. */
  readonly warmUp?: number
  readonly contenders: ReadonlyArray<Contender>
}

/** The interleaved run. Contenders follow each other in turn about, forward and backward. */
export const measure = async (plan: Measure): Promise<Table> => {
  const { contenders, rounds, warmUp = 1 } = plan
  const all = contenders.map((): Array<Measured> => [])
  for (let round = -warmUp; round < rounds; round++) {
    const order = contenders.map((_, index) => index)
    for (const index of round % 2 === 0 ? order : order.toReversed()) {
      const one = await again(() => measured(contenders[index]!, round))
      say(
        `${plan.title}: ${round < 0 ? "warm-up" : `round ${round + 1}/${rounds}`}, ${contenders[index]!.name}: ${(one.operations / one.seconds).toFixed(0)}/s`
      )
      if (round >= 0) all[index]!.push(one)
    }
  }
  const base = all[contenders.findIndex(({ name }) => name === plan.base)]
  if (base === undefined) throw new Error(`${plan.title} has no contender ${plan.base}`)
  return { title: plan.title, what: plan.what, base: plan.base, rounds, rows: all.map((turns, i) => rowOf(i, turns)) }

  function rowOf(index: number, turns: ReadonlyArray<Measured>): Row {
    const rates = turns.map(({ operations, seconds }) => operations / seconds)
    const of = (pick: "cpu" | "more") =>
      Object.fromEntries(
        Object.keys(turns[0]![pick] ?? {}).map((name) => [name, median(turns.map((turn) => turn[pick]![name] ?? 0))])
      )
    return {
      name: contenders[index]!.name,
      perSecond: median(rates),
      slowest: Math.min(...rates),
      fastest: Math.max(...rates),
      cpu: of("cpu"),
      more: of("more"),
      rateRatio: median(rates.map((rate, i) => rate / (base![i]!.operations / base![i]!.seconds))),
      cpuRatio: median(
        turns.map((turn, i) => (total(turn.cpu) > 0 ? total(base![i]!.cpu) / total(turn.cpu) : Number.NaN))
      )
    }
  }
}

const figure = (value: number): string =>
  Number.isNaN(value) ? "–" : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** A table for people: plain text that is also Markdown. */
export const shown = (table: Table): string => {
  const processes = [...new Set(table.rows.flatMap((row) => Object.keys(row.cpu)))]
  const more = [...new Set(table.rows.flatMap((row) => Object.keys(row.more)))]
  const head = [
    table.what,
    "/s",
    `× ${table.base}`,
    ...processes.map((name) => `CPU µs ${name}`),
    ...(processes.length > 1 ? ["CPU µs all but the far side"] : []),
    "× less CPU",
    ...more
  ]
  const rows = table.rows.map((row) => [
    row.name,
    row.perSecond.toFixed(0),
    figure(row.rateRatio),
    ...processes.map((name) => (name in row.cpu ? figure(row.cpu[name]!) : "–")),
    ...(processes.length > 1 ? [figure(total(row.cpu) || Number.NaN)] : []),
    figure(row.cpuRatio),
    ...more.map((name) => (name in row.more ? figure(row.more[name]!) : "–"))
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(" | ")} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`
  return [`${table.title} (median of ${table.rounds})`, "", line(head), rule, ...rows.map(line)].join("\n")
}

export const totalCpu = total
