import { rename, writeFile } from "node:fs/promises"

/** Writes a file for its owner alone: whoever reads it finds the whole text or what was there before, after a crash too. */
export const writeWhole = async (file: string, text: string): Promise<void> => {
  const part = `${file}.part`
  await writeFile(part, text, { mode: 0o600 })
  await rename(part, file)
}
