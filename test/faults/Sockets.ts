import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { until } from "./Until.ts"

/** One end of a TCP connection, as the kernel shows it. */
interface End {
  readonly localPort: number
  /** Both addresses, as they stand in the table: the other end's are the other way round. */
  readonly local: string
  readonly remote: string
  /** Bytes that the other end has not confirmed. */
  readonly unsent: number
  /** Bytes that the process has not read. */
  readonly unread: number
}

const LISTENING = "0A"

/** Connections of this network, by way of IPv4; none on a system without the table. */
const ends = async (): Promise<ReadonlyArray<End>> => {
  const table = await readFile("/proc/net/tcp", "ascii").catch(() => "")
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local, remote, state, queues] = line.trim().split(/\s+/)
      if (local === undefined || remote === undefined || queues === undefined || state === LISTENING) return []
      const [unsent, unread] = queues.split(":").map((size) => Number.parseInt(size, 16))
      const localPort = Number.parseInt(local.slice(local.indexOf(":") + 1), 16)
      return [{ localPort, local, remote, unsent: unsent!, unread: unread! }]
    })
}

/**
 * Waits until the servers at these ports have read everything that was written to them before this moment: on each
 * connection, until all of it has come to the server's end, and from then on until that end was empty once. What is
 * written meanwhile by those who live may be left.
 */
export const untilRead = Effect.fnUntraced(function* (ports: ReadonlySet<number>) {
  const nameOf = ({ local, remote }: End): string => `${local} ${remote}`
  const atServers = Effect.map(Effect.promise(ends), (all) => ({
    all,
    served: all.filter(({ localPort }) => ports.has(localPort))
  }))
  const begun = new Set((yield* atServers).served.map(nameOf))
  const arrived = new Set<string>()
  const look = Effect.map(atServers, ({ all, served }) => {
    const unsent = new Set(all.flatMap(({ local, remote, unsent }) => (unsent > 0 ? `${remote} ${local}` : [])))
    const open = new Set(served.map(nameOf))
    for (const name of begun) if (!open.has(name)) begun.delete(name)
    // In two looks: the ends of one look were not seen at the same moment.
    for (const end of served) if (arrived.has(nameOf(end)) && end.unread === 0) begun.delete(nameOf(end))
    for (const name of open) if (!unsent.has(name)) arrived.add(name)
    return begun.size
  })
  yield* until("the servers read what was sent to them", look, (left) => left === 0)
})
