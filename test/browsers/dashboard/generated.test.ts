import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { generated } from "../../../dashboard/generate.ts"

it("asks as `npm run dashboard:types` writes it from the schema", async () => {
  const files = await generated()
  expect(files.length).toBeGreaterThan(5)
  for (const { file, text } of files) expect(readFileSync(file, "utf8")).toBe(text)
})
