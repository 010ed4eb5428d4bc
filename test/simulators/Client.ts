import { generateKeyPairSync, sign, type KeyObject } from "node:crypto"
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from "node:http2"
import { makeCertificates } from "../../simulators/Certificates.ts"

/** One authority for all of a file's simulators. */
export const certificates = makeCertificates()

export const ecKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" })
export const rsaKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 })
export const pem = (key: KeyObject): string =>
  key.export({ type: key.type === "private" ? "pkcs8" : "spki", format: "pem" }).toString()

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export const jwt = (
  key: KeyObject,
  algorithm: "ES256" | "RS256",
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {}
): string => {
  const signed = `${encode({ alg: algorithm, typ: "JWT", ...header })}.${encode(claims)}`
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" })
  return `${signed}.${signature.toString("base64url")}`
}

export const now = (): number => Math.floor(Date.now() / 1000)

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What became of one request, when it was no answer. */
export class StreamEnded extends Error {
  readonly code: number
  constructor(code: number) {
    super(`stream ended with code ${code}`)
    this.code = code
  }
}

export const open = (url: string): Promise<ClientHttp2Session> =>
  new Promise((resolve, reject) => {
    const session = connect(url, { ca: certificates.ca })
    session.once("error", reject)
    session.once("remoteSettings", () => {
      session.off("error", reject)
      session.on("error", () => {})
      resolve(session)
    })
  })

/** Sends one request; rejects with StreamEnded when the stream ends without an answer. */
export const request = (
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = ""
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const stream: ClientHttp2Stream = session.request({ ":method": "POST", ...headers })
    let answer: IncomingHttpHeaders | undefined
    let text = ""
    stream.setEncoding("utf8")
    stream.on("response", (received) => {
      answer = received
    })
    stream.on("data", (chunk: string) => {
      text += chunk
    })
    stream.on("error", () => {})
    stream.on("close", () => {
      if (answer === undefined) reject(new StreamEnded(stream.rstCode ?? 0))
      else resolve({ status: Number(answer[":status"]), headers: answer, body: text })
    })
    stream.end(body)
  })

/** Turns a failure into the code its stream ended with. */
export const endedWith = (attempt: Promise<Answer>): Promise<number> =>
  attempt.then(
    (answer) => {
      throw new Error(`answered ${answer.status} ${answer.body}`)
    },
    (error: unknown) => {
      if (error instanceof StreamEnded) return error.code
      throw error
    }
  )
