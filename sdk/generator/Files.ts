/*
 * Everything that is generated, by path. `npm run sdk:types` writes it; test/sdk/Generated.test.ts fails when a route was
 * changed without it.
 */

import { csharpFiles } from "./csharp.ts"
import { goFiles } from "./go.ts"
import { javaFiles } from "./java.ts"
import type { Json } from "./Model.ts"
import { essence, modelOf } from "./Model.ts"
import { nodeFiles } from "./node.ts"
import { phpFiles } from "./php.ts"
import { pythonFiles } from "./python.ts"
import { rubyFiles } from "./ruby.ts"

/** Of the document as the service serves it, or of its essence. */
export const generate = (document: Json): Readonly<Record<string, string>> => {
  const reduced = essence(document)
  const model = modelOf(reduced)
  return {
    "sdk/openapi.json": `${JSON.stringify(reduced, null, 1)}\n`,
    ...nodeFiles(model, reduced),
    ...pythonFiles(model),
    ...goFiles(model),
    ...rubyFiles(model),
    ...phpFiles(model),
    ...javaFiles(model),
    ...csharpFiles(model)
  }
}
