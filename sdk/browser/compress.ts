import { readFileSync, writeFileSync } from "node:fs"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

/** Where less is saved, a file is sent as it is. */
const WORTH = 0.95

/** Writes `<path>.br` and `<path>.gz` beside a built file, each where it saves something. */
export const compress = async (path: string): Promise<void> => {
  const plain = readFileSync(path)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const forms = {
    br: await promisify(brotliCompress)(plain, { params }),
    gz: await promisify(gzip)(plain, { level: 9 })
  }
  for (const [ending, bytes] of Object.entries(forms)) {
    if (bytes.length < plain.length * WORTH) writeFileSync(`${path}.${ending}`, bytes)
  }
}
