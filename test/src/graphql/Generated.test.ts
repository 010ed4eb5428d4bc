import { format, resolveConfig } from "prettier"
import { expect, it } from "vitest"
import { resolverTypes, schemaDocument } from "./generate.ts"

const FILES = {
  "src/graphql/generated/resolvers.ts": resolverTypes,
  "docs/schema.graphql": schemaDocument
}

/** `npm run graphql:types` runs this file with `--update`, and so writes what it compares with. */
it.each(Object.entries(FILES))("is what `npm run graphql:types` writes: %s", async (name, generate) => {
  const file = new URL(`../../../${name}`, import.meta.url).pathname
  const options = await resolveConfig(file)
  await expect(await format(await generate(), { ...options, filepath: file })).toMatchFileSnapshot(file)
})
