import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"

/**
 * Who may import whom: the table of the design. A folder that is not listed may not exist; an import that no row allows
 * is an error. Packages are judged too where a floor is to stay pure.
 */
const root = resolve(import.meta.dirname, "..")
const ROOMS = ["services", "layers", "src", "simulators", "sdk", "bench", "test"]

const filesOf = (folder: string): Array<string> => {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  } catch {
    return []
  }
}

const IMPORT = /^(?:import|export|\})[^\n]*? from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm

const importsOf = (file: string): Array<string> =>
  [...readFileSync(join(root, file), "utf8").matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3]!)

const resolved = (file: string, specifier: string): string =>
  specifier.startsWith(".") ? relative(root, resolve(root, dirname(file), specifier)) : specifier

const isPackage = (target: string): boolean => !ROOMS.some((room) => target.startsWith(`${room}/`))
const isUnder = (target: string, ...folders: ReadonlyArray<string>): boolean =>
  folders.some((folder) => target.startsWith(`${folder}/`))

/** Whether a file may import what it imports; `target` is a path from the root, or a package. */
const mayImport = (file: string, target: string): boolean => {
  const [room, floor, technology] = file.split("/")
  if (room === "bench" || room === "test") return true
  // A client is a package of its own, without dependencies.
  if (room === "sdk") return isUnder(target, "sdk") || target.startsWith("node:")
  if (room === "simulators") return isPackage(target) || isUnder(target, "simulators", "services/domain")
  if (room === "services") {
    // Decisions are made of data: no file, socket or clock of the platform's own below this line.
    if (isPackage(target)) return target === "effect" || target.startsWith("effect/")
    if (floor === "domain") return isUnder(target, "services/domain")
    if (floor === "ports") return isUnder(target, "services/ports", "services/domain")
    return isUnder(target, "services/engine", "services/ports", "services/domain")
  }
  if (isPackage(target)) return true
  if (room === "layers") {
    return isUnder(
      target,
      "services/ports",
      "services/domain",
      "layers/config",
      `layers/${technology ? floor : "config"}`
    )
  }
  if (file === "src/app.ts") return isUnder(target, "layers", "services", "src")
  if (isUnder(file, "src/cli", "src/demo") || file === "src/main.ts") {
    return isUnder(target, "src", "services", "simulators")
  }
  return isUnder(target, `src/${floor}`, "services") || target === file
}

const files = ROOMS.flatMap(filesOf)

describe("the floors", () => {
  it("has files on every floor, so that this test looks at something", () => {
    for (const floor of ["services/domain", "services/ports", "services/engine", "layers", "src"]) {
      expect(files.some((file) => isUnder(file, floor))).toBe(true)
    }
  })

  it("lets every file import only from the floors below it", () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .map((specifier) => resolved(file, specifier))
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} imports ${target}`)
    )
    expect(wrong).toEqual([])
  })

  it("has no import circle", () => {
    const edges = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => resolved(file, specifier))
      ])
    )
    const done = new Set<string>()
    const circles: Array<string> = []
    const visit = (file: string, path: ReadonlyArray<string>): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "))
      if (done.has(file) || path.includes(file)) return
      for (const target of edges.get(file) ?? []) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    expect(circles).toEqual([])
  })

  it("has no barrels, and no room for everything", () => {
    const barrels = files.filter((file) => /(^|\/)(index|utils?|helpers?|managers?|common|misc)\.ts$/i.test(file))
    expect(barrels).toEqual([])
  })

  it("names a port's layer after the port", () => {
    const ports = new Set(filesOf("services/ports").map((file) => file.split("/").at(-1)))
    const stores = filesOf("layers/postgres").filter((file) => file.endsWith("Store.ts"))
    expect(stores.length).toBeGreaterThan(0)
    for (const file of stores) expect(ports).toContain(file.split("/").at(-1))
  })

  it("writes every relative import as the path of a file that exists", () => {
    const known = new Set(files)
    const missing = files.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith(".") && specifier.endsWith(".ts"))
        .map((specifier) => resolved(file, specifier))
        .filter((target) => !known.has(target) && !target.endsWith("vitest.config.ts"))
        .map((target) => `${file} imports ${target}`)
    )
    expect(missing).toEqual([])
  })
})
