import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const FLAGS = ["--max-semi-space-size=16", "--max-old-space-size=512", "--no-allocation-site-pretenuring"]

it("gives V8 the same flags for its heap in every way to start that the project offers", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>
  }
  for (const name of ["start", "cli", "demo"]) expect(scripts[name]).toContain(`node ${FLAGS.join(" ")} src/main.ts`)
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8")
  expect(dockerfile).toContain(`"node", ${FLAGS.map((bound) => `"${bound}"`).join(", ")}, "src/main.ts"`)
})
