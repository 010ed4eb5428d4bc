import { X509Certificate } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { makeCertificates, writeCa } from "../../simulators/Certificates.ts"

it("makes a server certificate for loopback names under an authority of its own", () => {
  const made = makeCertificates()
  const ca = new X509Certificate(made.ca)
  const cert = new X509Certificate(made.cert)
  expect(ca.ca).toBe(true)
  expect(cert.ca).toBe(false)
  expect(cert.verify(ca.publicKey)).toBe(true)
  expect(cert.checkIssued(ca)).toBe(true)
  expect(cert.checkHost("localhost")).toBe("localhost")
  expect(cert.checkIP("127.0.0.1")).toBe("127.0.0.1")
  expect(cert.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1")
  expect(Date.parse(cert.validTo)).toBeGreaterThan(Date.now())
})

it("makes certificates for other names too", () => {
  const cert = new X509Certificate(makeCertificates(["push.test", "fd00::1:2"]).cert)
  expect(cert.checkHost("push.test")).toBe("push.test")
  expect(cert.checkHost("localhost")).toBeUndefined()
  expect(cert.checkIP("fd00::1:2")).toBe("fd00::1:2")
})

it("writes the authority's certificate into a folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heliograph-ca-"))
  try {
    const made = makeCertificates()
    expect(await readFile(await writeCa(made, join(folder, "new")), "utf8")).toBe(made.ca)
  } finally {
    await rm(folder, { recursive: true })
  }
})
