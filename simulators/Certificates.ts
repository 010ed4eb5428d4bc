import { createPublicKey, generateKeyPairSync, randomBytes, sign, createHash, type KeyObject } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { isIP } from "node:net"
import { join } from "node:path"

/**
 * A certificate authority of the simulators' own and a server certificate under it, so that a sender's TLS checks are
 * the ones it makes in earnest. X.509 is written here in DER: two certificates do not deserve a dependency.
 */
export interface Certificates {
  /** PEM. What a sender must trust. */
  readonly ca: string
  /** PEM: the server's certificate, valid for the names asked for. */
  readonly cert: string
  /** PEM (PKCS #8): the server's private key. */
  readonly key: string
}

const LOOPBACK = ["localhost", "127.0.0.1", "::1"]
const DAY = 86_400_000

const tlv = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length
  const head =
    size < 128 ? [tag, size] : size < 256 ? [tag, 0x81, size] : [tag, 0x82, Math.floor(size / 256), size % 256]
  return Buffer.concat([Buffer.from(head), body])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => tlv(0x30, ...parts)
const integer = (bytes: Uint8Array): Buffer => tlv(0x02, bytes[0]! & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes)
const bits = (bytes: Uint8Array): Buffer => tlv(0x03, Buffer.from([0]), bytes)
const octets = (bytes: Uint8Array): Buffer => tlv(0x04, bytes)
const TRUE = Buffer.from([0x01, 0x01, 0xff])

const oid = (dotted: string): Buffer => {
  const [first, second, ...rest] = dotted.split(".").map(Number)
  const bytes = [first! * 40 + second!]
  for (const arc of rest) {
    const groups = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return tlv(0x06, Buffer.from(bytes))
}

/** UTCTime, which X.509 asks for until 2049. */
const utcTime = (at: number): Buffer =>
  tlv(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, "").slice(2, 14)}Z`))
const name = (commonName: string): Buffer =>
  sequence(tlv(0x31, sequence(oid("2.5.4.3"), tlv(0x0c, Buffer.from(commonName)))))
const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octets(value))

const ipBytes = (address: string): Buffer => {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number))
  const [head, tail] = address.split("::")
  const groups = (text: string | undefined) => (text ? text.split(":").map((group) => Number.parseInt(group, 16)) : [])
  const before = groups(head)
  const after = groups(tail)
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

/** The name's DER inside a subjectAltName: [2] for DNS names, [7] for addresses. */
const altName = (host: string): Buffer => (isIP(host) ? tlv(0x87, ipBytes(host)) : tlv(0x82, Buffer.from(host)))

const ECDSA_SHA256 = sequence(oid("1.2.840.10045.4.3.2"))
const spki = (key: KeyObject): Buffer => createPublicKey(key).export({ type: "spki", format: "der" })
/** The key identifier of RFC 5280: SHA-1 of the public key's bits, here of the whole SPKI, which is as unique. */
const keyId = (key: KeyObject): Buffer => createHash("sha1").update(spki(key)).digest()

const certificate = (input: {
  readonly subject: string
  readonly subjectKey: KeyObject
  readonly issuer: string
  readonly issuerKey: KeyObject
  readonly extensions: ReadonlyArray<Buffer>
  readonly validity: Validity
}): string => {
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x01
  const body = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_SHA256,
    name(input.issuer),
    sequence(utcTime(input.validity.from), utcTime(input.validity.until)),
    name(input.subject),
    spki(input.subjectKey),
    tlv(
      0xa3,
      sequence(
        ...input.extensions,
        extension("2.5.29.14", false, octets(keyId(input.subjectKey))),
        extension("2.5.29.35", false, sequence(tlv(0x80, keyId(input.issuerKey))))
      )
    )
  )
  const der = sequence(body, ECDSA_SHA256, bits(sign("sha256", body, input.issuerKey)))
  const lines = der.toString("base64").match(/.{1,64}/g)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`
}

/** Epoch milliseconds. */
interface Validity {
  readonly from: number
  readonly until: number
}

/** Machines of one test bed may disagree about the time by a little. */
const aYear = (): Validity => ({ from: Date.now() - DAY, until: Date.now() + 365 * DAY })

/** An authority of its own, which issues as many certificates as are asked of it. */
export interface Authority {
  /**
   * A certificate for `hosts` (DNS names and IP literals; loopback by default), valid for a year unless its time is
   * given; a client may show it as well.
   */
  readonly issue: (hosts?: ReadonlyArray<string>, validity?: Validity) => Certificates
}

export const makeAuthority = (): Authority => {
  const issuerKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
  const issuer = `Heliograph simulators ${randomBytes(4).toString("hex")}`
  const ca = certificate({
    subject: issuer,
    subjectKey: issuerKey,
    issuer,
    issuerKey,
    validity: aYear(),
    extensions: [
      extension("2.5.29.19", true, sequence(TRUE)),
      // keyCertSign and cRLSign.
      extension("2.5.29.15", true, Buffer.from([0x03, 0x02, 0x01, 0x06]))
    ]
  })
  return {
    issue: (hosts = LOOPBACK, validity = aYear()) => {
      const subjectKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
      const cert = certificate({
        subject: hosts[0]!,
        subjectKey,
        issuer,
        issuerKey,
        validity,
        extensions: [
          extension("2.5.29.19", true, sequence()),
          // digitalSignature.
          extension("2.5.29.15", true, Buffer.from([0x03, 0x02, 0x07, 0x80])),
          // serverAuth and clientAuth.
          extension("2.5.29.37", false, sequence(oid("1.3.6.1.5.5.7.3.1"), oid("1.3.6.1.5.5.7.3.2"))),
          extension("2.5.29.17", false, sequence(...hosts.map(altName)))
        ]
      })
      return { ca, cert, key: subjectKey.export({ type: "pkcs8", format: "pem" }).toString() }
    }
  }
}

/** Makes an authority and one certificate. */
export const makeCertificates = (hosts?: ReadonlyArray<string>): Certificates => makeAuthority().issue(hosts)

/** Writes the authority's certificate into `folder` and answers the file's path. */
export const writeCa = async (certificates: Certificates, folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true })
  const path = join(folder, "ca.pem")
  await writeFile(path, certificates.ca)
  return path
}
