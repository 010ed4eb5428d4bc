import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { SettingsError, read } from "../../../layers/config/Settings.ts"
import { makeCertificates } from "../../../simulators/Certificates.ts"

const folder = mkdtempSync(join(tmpdir(), "heliograph-nats-access-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const NATS_URL = "nats://127.0.0.1:4222"
const problems = (env: Record<string, string>): ReadonlyArray<string> => {
  try {
    read(env)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

const ours = makeCertificates()
const [cert, key, ca] = [file("a.pem", ours.cert), file("a.key", ours.key), file("ca.pem", ours.ca)]
const otherKey = file("b.key", makeCertificates().key)
const nothing = join(folder, "nothing")
const secret = file("secret", "hush-hush")

describe("the settings of NATS", () => {
  it("may be none but the URL", () => {
    expect(read({ NATS_URL }).natsAccess).toEqual({ signIn: null, tls: null })
    expect(read({}).natsAccess).toEqual({ signIn: null, tls: null })
  })

  it("name files, and values where there is no file", () => {
    expect(read({ NATS_URL, NATS_USER: "u", NATS_PASSWORD: "p" }).natsAccess.signIn).toEqual({
      _tag: "user",
      user: "u",
      password: "p"
    })
    expect(
      read({ NATS_URL, NATS_TLS_CA_FILE: ca, NATS_TLS_CERT_FILE: cert, NATS_TLS_KEY_FILE: key }).natsAccess.tls
    ).toEqual({
      caFile: ca,
      certFile: cert,
      keyFile: key
    })
  })

  it.each([
    [
      "a file that is not there",
      { NATS_CREDS_FILE: nothing },
      `NATS_CREDS_FILE names a file that does not exist: ${nothing}`
    ],
    ["a directory", { NATS_NKEY_FILE: folder }, `NATS_NKEY_FILE names a directory, not a file: ${folder}`],
    [
      "another kind of file for credentials",
      { NATS_CREDS_FILE: secret },
      `NATS_CREDS_FILE must name a credentials file of NATS, with the JWT and the seed of a user: ${secret} is none`
    ],
    [
      "another kind of file for an nkey",
      { NATS_NKEY_FILE: secret },
      `NATS_NKEY_FILE must name a file with the seed of a user's nkey, which begins with SU: ${secret} is none`
    ],
    [
      "another kind of file for an authority",
      { NATS_TLS_CA_FILE: secret },
      `NATS_TLS_CA_FILE must name a PEM file of certificate authorities: ${secret} is none`
    ],
    [
      "a certificate without its key",
      { NATS_TLS_CERT_FILE: cert },
      "NATS_TLS_KEY_FILE must be set with NATS_TLS_CERT_FILE: a certificate is of no use without its key"
    ],
    [
      "a key without its certificate",
      { NATS_TLS_KEY_FILE: key },
      "NATS_TLS_CERT_FILE must be set with NATS_TLS_KEY_FILE: a key is of no use without its certificate"
    ],
    [
      "a key of another certificate",
      { NATS_TLS_CERT_FILE: cert, NATS_TLS_KEY_FILE: otherKey },
      "NATS_TLS_KEY_FILE is not the key of the certificate in NATS_TLS_CERT_FILE"
    ],
    ["a user without a password", { NATS_USER: "u" }, "NATS_USER and NATS_PASSWORD must be set together"],
    [
      "two ways to sign in",
      { NATS_URL: "nats://u:p@127.0.0.1", NATS_TOKEN: "hush-hush" },
      "the user of NATS_URL, NATS_TOKEN: NATS takes one way to sign in, so only one of these may be set"
    ],
    ["no URL", { NATS_URL: "", NATS_TOKEN: "hush-hush" }, "NATS_URL must be set when NATS_TOKEN is"],
    [
      "a web socket with certificates",
      { NATS_URL: "wss://127.0.0.1", NATS_TLS_CA_FILE: ca },
      expect.stringContaining("go with nats:// and tls:// in NATS_URL")
    ]
  ])("are refused with %s, before anything starts, and without what is secret", (_, env, problem) => {
    const found = problems({ NATS_URL, ...env })
    expect(found).toEqual([problem])
    expect(found.join(" ")).not.toContain("hush-hush")
  })
})
