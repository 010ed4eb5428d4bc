import type { Stage } from "../Child.ts"
import { lastingPort, listening, program } from "../Child.ts"

/** Redis as BullMQ's own guide asks for: written every second, nothing evicted. */
export const startRedis = async (stage: Stage): Promise<{ readonly port: number; readonly pid: number }> => {
  const port = await lastingPort()
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", stage.folder(), "--save", ""]
  const { child } = stage.spawn(
    program("redis-server", "redis-server"),
    [...args, "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction"],
    { stdio: "ignore" }
  )
  await listening(port, child)
  return { port, pid: child.pid! }
}
