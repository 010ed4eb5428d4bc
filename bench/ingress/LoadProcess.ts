import type { Stage } from "../Child.ts"
import { linesOf } from "../Child.ts"
import type { Order, Outcome } from "./Load.ts"

/** The load generator as a process of its own. */
export const startLoad = (stage: Stage): { readonly pid: number; readonly ask: (order: Order) => Promise<Outcome> } => {
  const { child } = stage.spawn(process.execPath, [new URL("Load.ts", import.meta.url).pathname], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const results = linesOf(child)
  return {
    pid: child.pid!,
    ask: async (order) => {
      child.stdin!.write(`${JSON.stringify(order)}\n`)
      const line = await results.next()
      if (line.done === true) throw new Error("The load generator has ended")
      return JSON.parse(line.value) as Outcome
    }
  }
}
