import { readFileSync, readdirSync, writeFileSync } from "node:fs"

/** The kernel counts in hundredths of a second, on every Linux that matters. */
const TICK_US = 10_000

interface Stat {
  readonly parent: number
  readonly us: number
}

/** Its own time and that of the children it has already waited for: what ended meanwhile is not lost. */
const statOf = (pid: string): Stat | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const ticks = Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])
    return { parent: Number(fields[1]), us: ticks * TICK_US }
  } catch {
    return null
  }
}

/** All processes of a tree, the root first. */
export const treeOf = (root: number): ReadonlyArray<number> => {
  const children = new Map<number, Array<number>>()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const stat = statOf(name)
    if (stat === null) continue
    const known = children.get(stat.parent)
    if (known === undefined) children.set(stat.parent, [Number(name)])
    else known.push(Number(name))
  }
  const tree = [root]
  for (let at = 0; at < tree.length; at++) tree.push(...(children.get(tree[at]!) ?? []))
  return tree
}

/** CPU time of process trees so far, microseconds. Roots must not lie within each other. */
export const cpuOf = (roots: ReadonlyArray<number>): number =>
  roots.reduce((sum, root) => sum + treeOf(root).reduce((all, pid) => all + (statOf(String(pid))?.us ?? 0), 0), 0)

const memory = (pid: number, field: "VmHWM" | "VmRSS"): number => {
  try {
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** From here on, `peakOf` counts anew. */
export const forgetPeak = (root: number): void => {
  for (const pid of treeOf(root)) {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, "5")
    } catch {
      // Not every kernel allows it; then the peak is that of the process's whole life.
    }
  }
}

/** The largest memory that each process of a tree held, summed up: MB, shared pages in each. */
export const peakOf = (root: number): number => treeOf(root).reduce((sum, pid) => sum + memory(pid, "VmHWM"), 0)
