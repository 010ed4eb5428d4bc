import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"

/**
 * Who may import whom, which folders there are, and which files stand beside them. A folder that is not listed may not
 * exist; an import that no rule allows is an error. Packages are judged too where a floor is to stay pure.
 */
const root = resolve(import.meta.dirname, "..")
const ROOMS = ["services", "layers", "src", "simulators", "sdk", "bench", "test"]

const filesOf = (folder: string): Array<string> => {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
      .filter((entry) => !/\/\.?dist\b/.test(entry.parentPath))
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

/** What clients' builds, and wrappers for those who have a framework anyway, take beside that. */
const BESIDE: Readonly<Record<string, ReadonlyArray<string>>> = {
  "sdk/browser/build.ts": ["rolldown"],
  "sdk/browser/inbox/react.ts": ["react"],
  "sdk/browser/inbox/vue.ts": ["vue"]
}

/** Whether a file may import what it imports; `target` is a path from the root, or a package. */
const mayImport = (file: string, target: string): boolean | undefined => {
  const [room, floor, technology] = file.split("/")
  if (room === "bench" || room === "test") return true
  // A client is a package of its own, without dependencies.
  if (room === "sdk") return isUnder(target, "sdk") || target.startsWith("node:") || BESIDE[file]?.includes(target)
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
  // GraphQL answers by the operations of the REST API's table, which know nothing of it.
  if (isUnder(file, "src/graphql") && isUnder(target, "src/http")) return true
  // What release this is, all ways in may say.
  return isUnder(target, `src/${floor}`, "services") || target === file || target === "src/version.ts"
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

  it("keeps the domain free of the time, of chance and of anything that lasts from one call to the next", () => {
    const outside =
      /\b(?:Date\.now|new Date\(\)|Math\.random|(?:crypto|performance|process)\.[a-z]|set(?:Timeout|Interval|Immediate)\()/
    const wrong = filesOf("services/domain").flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .filter((line) => outside.test(line) || /^(?:export )?(?:let|var) /.test(line))
        .map((line) => `${file}: ${line}`)
    )
    expect(wrong).toEqual([])
    // Decisions keep what lasts in their services, which end with their scope. The process' clock and its random digits
    // lie outside, and have no service to be in: docs/decisions/0035.
    const lasting = ["services/engine", "services/ports"]
      .flatMap(filesOf)
      .filter((file) => /^(?:export )?(?:let|var) /m.test(readFileSync(join(root, file), "utf8")))
    expect(lasting.sort()).toEqual(["services/ports/NewId.ts", "services/ports/Now.ts"])
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
        .filter((target) => !known.has(target) && !target.endsWith("vitest.config.ts") && !isUnder(target, "dashboard"))
        .map((target) => `${file} imports ${target}`)
    )
    expect(missing).toEqual([])
  })
})

/** The table of docs/architecture.md: each subject, and the one floor that a note in brackets binds it to. */
const subjects = [
  ...readFileSync(join(root, "docs/architecture.md"), "utf8").matchAll(
    /^\| `(\w+)` +\|[^|\n]*?(?:\((?:`(layers\/postgres)`|(ports)) only\))? *\|$/gm
  )
].map(([, name, folder, floor]) => ({
  name: name!,
  only: folder ?? (floor === undefined ? null : `services/${floor}`)
}))

const FLOORS = ["services/domain", "services/ports", "services/engine", "layers/postgres"]

/** Subjects that a floor does without, and folders of a floor that are none; each with its reason. */
const MISSING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "services/engine": { audience: "endpoints ask its stores directly: there is nothing to decide" }
}
const FOLDERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "layers/postgres": { migrations: "the schema, all subjects together, in the order of releases" },
  "src/http": {
    pipeline: "what every request goes through",
    endpoints: "what requests ask for",
    docs: "the OpenAPI document and the pages that show it"
  },
  test: {
    services: "mirrors the tree",
    layers: "mirrors the tree",
    src: "mirrors the tree; in the folder itself, tests of whole nodes",
    simulators: "mirrors the tree",
    sdk: "mirrors the tree",
    docs: "what the documents say, against what is there",
    contract: "the API as the OpenAPI document promises it, all endpoints at once",
    doubles: "stand-ins for what is not ours to ask, by subject; stores are the real ones",
    browsers: "real Firefox and Chromium against a whole node; npm run test:browsers, not part of `npm test`",
    faults: "real processes that are killed, cut off and frozen; not part of `npm test`"
  }
}

/** Files beside the folders, each with the reason why it belongs to no subject. */
const LOOSE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "services/domain": {
    "Ids.ts": "the ids of all subjects",
    "Json.ts": "values of JSON, wherever they stand",
    "NetworkFault.ts": "what is said of any peer that cannot be reached",
    "Text.ts": "what a text may hold, wherever it stands",
    "Time.ts": "moments as all interfaces write them",
    "WrittenNumbers.ts": "what a number of JSON may be, wherever it stands",
    "ZoneNames.ts": "the names of time zones, of people, audiences and schedules alike"
  },
  "services/ports": {
    "EngineSettings.ts": "settings of several subjects",
    "HttpSettings.ts": "settings of all endpoints",
    "NewId.ts": "ids of all subjects",
    "Now.ts": "the clock",
    "StoreError.ts": "how any store fails"
  },
  "services/engine": {},
  "layers/postgres": {},
  "src/http": {},
  test: {
    "Floors.test.ts": "this test",
    "globalSetup.ts": "what the whole run needs",
    "lists.ts": "npm run test:lists",
    "plans.ts": "npm run test:plans",
    "runs.ts": "npm run test:runs",
    "System.ts": "a whole node, for tests of any folder",
    "Collector.ts": "a collector of traces, for tests of any folder",
    "Database.ts": "a database for each test file",
    "DnsServer.ts": "for tests of any folder",
    "NatsServer.ts": "for tests of any folder",
    "Patterns.test.ts": "what holds for every regular expression of the product",
    "PgBouncer.ts": "for tests of any folder",
    "Ports.ts": "for tests of any folder",
    "PostgresServer.ts": "for tests of any folder",
    "Programs.ts": "finds or installs the programs that tests talk to",
    "Sockets.ts": "for tests of any folder"
  }
}

const entriesOf = (folder: string) => {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const names = (isFolder: boolean) =>
    entries
      .filter((entry) => entry.isDirectory() === isFolder)
      .map(({ name }) => name)
      .toSorted()
  return { folders: names(true), files: names(false) }
}

const onFloor = (floor: string): Array<string> =>
  subjects.filter(({ only }) => only === null || only === floor).map(({ name }) => name)

describe("the folders of a floor", () => {
  it.each(FLOORS)("are the subjects of docs/architecture.md: %s", (floor) => {
    expect(subjects.length).toBeGreaterThan(5)
    const missing = Object.keys(MISSING[floor] ?? {})
    const expected = [...onFloor(floor).filter((name) => !missing.includes(name)), ...Object.keys(FOLDERS[floor] ?? {})]
    expect(entriesOf(floor).folders).toEqual(expected.toSorted())
  })

  it.each(["src/http", "test"])("are those listed here: %s", (folder) => {
    expect(entriesOf(folder).folders).toEqual(Object.keys(FOLDERS[folder]!).toSorted())
  })

  it("have no double of a store that could drift from it: the same contract runs against both", () => {
    const doubles = files.filter((file) => isUnder(file, "test/doubles") && /(Store|Log|Notices)\.ts$/.test(file))
    expect(doubles.filter((file) => !files.includes(`test/layers/${basename(file, ".ts")}.contract.ts`))).toEqual([])
  })

  it("are the same among the doubles of ports", () => {
    const others = entriesOf("test/doubles").folders.filter((name) => !onFloor("services/ports").includes(name))
    expect(others).toEqual([])
  })

  it.each(Object.keys(LOOSE))("have no files beside them but those with a reason: %s", (folder) => {
    expect(entriesOf(folder).files).toEqual(Object.keys(LOOSE[folder]!).toSorted())
  })
})

const sources = files.filter((file) => !isUnder(file, "test", "bench", "sdk"))
const nameOf = (file: string): string => basename(file).split(".")[0]!

describe("a file", () => {
  it("has a name of its own, unless it is the same thing on another floor", () => {
    const ports = new Map(sources.filter((file) => isUnder(file, "services/ports")).map((file) => [nameOf(file), file]))
    /** What the name stands for; null for those that serve or command what the name stands for elsewhere. */
    const thingOf = (file: string): string | null => {
      if (isUnder(file, "src/http/endpoints", "src/cli")) return null
      const port = isUnder(file, "layers") ? ports.get(nameOf(file)) : undefined
      const [room, , subject] = (port ?? file).split("/")
      return room === "services" ? `services/${subject}` : file
    }
    const things = new Map<string, Set<string>>()
    for (const file of sources) {
      const thing = thingOf(file)
      if (thing === null || isUnder(file, "layers/postgres/migrations")) continue
      things.set(nameOf(file), (things.get(nameOf(file)) ?? new Set()).add(thing))
    }
    expect([...things].filter(([, { size }]) => size > 1).map(([name, where]) => [name, ...where])).toEqual([])
  })

  it("has its test in the folder of test/ that mirrors its own", () => {
    const folders = new Set(sources.map((file) => dirname(file)))
    const places = new Map<string, Array<string>>()
    for (const file of sources) places.set(nameOf(file), [...(places.get(nameOf(file)) ?? []), dirname(file)])
    const wrong = files
      .filter((file) => file.endsWith(".test.ts"))
      // Whole nodes, documents, packages and layers: no one file is what they test.
      .filter((file) => !isUnder(file, "test/docs", "test/contract", "test/faults", "test/sdk", "test/browsers"))
      .filter((file) => !["test", "test/src", "test/layers", "test/layers/postgres"].includes(dirname(file)))
      .filter((file) => {
        const mirrored = relative("test", dirname(file))
        return !(places.get(nameOf(file))?.includes(mirrored) ?? folders.has(mirrored))
      })
    expect(wrong).toEqual([])
  })
})
