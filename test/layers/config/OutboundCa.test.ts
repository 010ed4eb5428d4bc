import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { SettingsError, read } from "../../../layers/config/Settings.ts"
import { makeCertificates } from "../../../simulators/Certificates.ts"

const folder = mkdtempSync(join(tmpdir(), "heliograph-outbound-ca-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const problems = (OUTBOUND_CA_FILE: string): ReadonlyArray<string> => {
  try {
    read({ OUTBOUND_CA_FILE })
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

const [one, other] = [makeCertificates().ca, makeCertificates().ca]
const BROKEN = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n"

describe("OUTBOUND_CA_FILE", () => {
  it("may hold one authority or several, with words between them", () => {
    const path = file("several.pem", `# ours\n${one}\n# theirs\r\n${other}`)
    expect(read({ OUTBOUND_CA_FILE: path }).outboundCaFile).toBe(path)
    expect(problems(file("one.pem", one))).toEqual([])
  })

  it("is refused before anything starts when it is not there, or a directory", () => {
    const nothing = join(folder, "nothing")
    expect(problems(nothing)).toEqual([`OUTBOUND_CA_FILE names a file that does not exist: ${nothing}`])
    expect(problems(folder)).toEqual([`OUTBOUND_CA_FILE names a directory, not a file: ${folder}`])
  })

  it.each([
    ["is empty", ""],
    ["holds no certificate", "hush-hush"],
    ["holds a key", makeCertificates().key],
    ["holds a certificate that cannot be read after one that can", `${one}\n${BROKEN}`],
    ["ends in the middle of a certificate", one.slice(0, one.length / 2)]
  ])("is refused when it %s", (name, text) => {
    const path = file(name.replaceAll(" ", "-"), text)
    expect(problems(path)).toEqual([
      `OUTBOUND_CA_FILE must name a PEM file of certificate authorities: ${path} is none`
    ])
  })
})
