import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { isFree } from "./LastingPorts.ts"
import { writeWhole } from "./WholeFile.ts"

const fileIn = (folder: string): string => join(folder, "ports.json")

export type Ports = Readonly<Record<string, number>>

/** Where a fleet of this folder listened last, as far as nobody else does now. Nothing, where nothing was kept. */
export const keptPorts = async (folder: string, host: string): Promise<Ports> => {
  const text = await readFile(fileIn(folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}"
    throw error
  })
  const ports: Array<readonly [string, number]> = []
  for (const [name, port] of Object.entries(JSON.parse(text) as Ports)) {
    if (await isFree(host, port)) ports.push([name, port])
  }
  return Object.fromEntries(ports)
}

export const keepPorts = (folder: string, ports: Ports): Promise<void> =>
  writeWhole(fileIn(folder), JSON.stringify(ports))
