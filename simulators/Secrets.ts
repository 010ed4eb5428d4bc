import { createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto"
import { mkdir, readFile } from "node:fs/promises"
import { isIP } from "node:net"
import { join } from "node:path"
import { makeCertificates, type Certificates } from "./Certificates.ts"
import { writeWhole } from "./WholeFile.ts"

/** Everything a fleet draws at random. Kept in its folder, a restarted fleet goes on where the last one ended. */
export interface Secrets {
  readonly certificates: Certificates
  readonly teamId: string
  readonly keyId: string
  readonly bundleId: string
  /** PEM, as Apple's .p8 file. */
  readonly apnsKey: string
  readonly projectId: string
  readonly clientEmail: string
  readonly serviceKeyId: string
  /** PEM, as in Google's JSON file. */
  readonly serviceKey: string
  readonly vapidPublicKey: string
  readonly vapidPrivateKey: string
  readonly mailUser: string
  readonly mailPass: string
  /** What subscriptions and device tokens are derived from. */
  readonly seed: string
  readonly webhookSecret: string
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
/** Ten capital letters and digits, as Apple's ids are. */
const appleId = (): string => Array.from(randomBytes(10), (byte) => LETTERS[byte % 32]).join("")

export const makeSecrets = (hosts?: ReadonlyArray<string>): Secrets => {
  const apns = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const service = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const vapid = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
  const point = [Buffer.from([4]), Buffer.from(vapid.x!, "base64url"), Buffer.from(vapid.y!, "base64url")]
  const projectId = `simulated-${randomBytes(3).toString("hex")}`
  return {
    certificates: makeCertificates(hosts),
    teamId: appleId(),
    keyId: appleId(),
    bundleId: "com.example.heliograph",
    apnsKey: apns.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    projectId,
    clientEmail: `sender@${projectId}.iam.gserviceaccount.com`,
    serviceKeyId: randomBytes(20).toString("hex"),
    serviceKey: service.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    vapidPublicKey: Buffer.concat(point).toString("base64url"),
    vapidPrivateKey: vapid.d!,
    mailUser: "heliograph",
    mailPass: randomBytes(12).toString("base64url"),
    seed: randomBytes(16).toString("hex"),
    webhookSecret: randomBytes(24).toString("base64url")
  }
}

export const publicPem = (privatePem: string): string =>
  createPublicKey(privatePem).export({ type: "spki", format: "pem" }).toString()

/** Whether the certificate is still valid, and for all these names. */
const isUsable = ({ cert }: Certificates, hosts: ReadonlyArray<string>): boolean => {
  const certificate = new X509Certificate(cert)
  return (
    Date.parse(certificate.validTo) > Date.now() &&
    hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined)
  )
}

/** The secrets kept in `folder`, or new ones, which are then kept there for the fleet's owner alone. */
export const keepSecrets = async (folder: string, hosts: ReadonlyArray<string>): Promise<Secrets> => {
  const file = join(folder, "secrets.json")
  const save = async (secrets: Secrets): Promise<Secrets> => {
    await mkdir(folder, { recursive: true })
    await writeWhole(file, JSON.stringify(secrets))
    return secrets
  }
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  if (text !== undefined) {
    const kept = JSON.parse(text) as Secrets
    if (isUsable(kept.certificates, hosts)) return kept
    return save({ ...kept, certificates: makeCertificates(hosts) })
  }
  return save(makeSecrets(hosts))
}
