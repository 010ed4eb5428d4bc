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

/**
 * Of that, what the main threads of these trees took, and what V8's own took, which collect garbage and compile beside
 * them; the rest is other threads', such as the profiler's.
 */
export const cpuOfThreads = (roots: ReadonlyArray<number>): { readonly main: number; readonly v8: number } => {
  const sums = { main: 0, v8: 0 }
  for (const pid of roots.flatMap(treeOf)) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const us = (Number(fields[11]) + Number(fields[12])) * TICK_US
      if (thread === String(pid)) sums.main += us
      else if (stat.includes("V8Worker)")) sums.v8 += us
    }
  }
  return sums
}

/** Kilobytes of a process, by name; 0 when it has ended. */
const kilobytes = (pid: number, file: "status" | "smaps_rollup", name: string): number => {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1] ?? 0)
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

/**
 * The largest memory that the processes of a tree held, MB: each one's own at its largest, summed up, and once what they
 * share (the program itself), as far as another process maps it too.
 */
export const peakOf = (root: number): number => {
  const each = treeOf(root).map((pid) => {
    const shared = kilobytes(pid, "smaps_rollup", "Shared_Clean") + kilobytes(pid, "smaps_rollup", "Shared_Dirty")
    return { own: Math.max(0, kilobytes(pid, "status", "VmHWM") - shared), shared }
  })
  const own = each.reduce((sum, process) => sum + process.own, 0)
  return (own + Math.max(...each.map(({ shared }) => shared))) / 1024
}
