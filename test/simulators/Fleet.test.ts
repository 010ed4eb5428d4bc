import { createPrivateKey, createHmac, randomUUID, X509Certificate } from "node:crypto"
import { access, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { connect, type ClientHttp2Session } from "node:http2"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"
import { createTransport } from "nodemailer"
import { Agent, request as undici } from "undici"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import webpush from "web-push"
import {
  ApnsCredential,
  FcmCredential,
  SmtpCredential,
  WebPushCredential
} from "../../services/domain/sending/Credential.ts"
import { Audience } from "../../simulators/Audience.ts"
import { startFleet, type FleetDescription } from "../../simulators/Fleet.ts"
import { forkFleet, type FleetProcess } from "../../simulators/FleetProcess.ts"
import { jwt, now, request } from "./Client.ts"

/** A sender of few lines that knows nothing but the fleet's description. */
const senderOf = async (fleet: FleetDescription) => {
  const ca = await readFile(fleet.ca, "utf8")
  const agent = new Agent({ connect: { ca } })
  const sessions: Array<ClientHttp2Session> = []
  const session = (url: string): ClientHttp2Session => {
    const opened = connect(url, { ca })
    opened.on("error", () => {})
    sessions.push(opened)
    return opened
  }
  const { apns, fcm, smtp, webpush: vapid } = fleet.credentials
  // One provider token for all: APNs refuses a sender that makes a new one for each push.
  const bearer = jwt(
    createPrivateKey(apns.private_key),
    "ES256",
    { iss: apns.team_id, iat: now() },
    { kid: apns.key_id }
  )
  const ids = () => ({ service_notification_id: randomUUID(), service_device_id: randomUUID() })
  return {
    async apns(token: string, environment: string) {
      const headers = {
        ":path": `/3/device/${token}`,
        authorization: `bearer ${bearer}`,
        "apns-topic": apns.bundle_id,
        "apns-push-type": "alert"
      }
      const url = environment === "sandbox" ? apns.sandbox_endpoint : apns.endpoint
      return (await request(session(url), headers, JSON.stringify({ aps: { alert: "Hi" }, ...ids() }))).status
    },
    async fcm(token: string) {
      const account = fcm.service_account
      const assertion = jwt(
        createPrivateKey(account.private_key),
        "RS256",
        {
          iss: account.client_email,
          scope: "https://www.googleapis.com/auth/firebase.messaging",
          aud: account.token_uri,
          iat: now(),
          exp: now() + 3600
        },
        { kid: account.private_key_id }
      )
      const answer = await undici(account.token_uri, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }).toString(),
        dispatcher: agent
      })
      const { access_token: bearer } = (await answer.body.json()) as { access_token: string }
      const headers = {
        ":path": `/v1/projects/${account.project_id}/messages:send`,
        authorization: `Bearer ${bearer}`,
        "content-type": "application/json"
      }
      return (await request(session(fcm.endpoint), headers, JSON.stringify({ message: { token, data: ids() } }))).status
    },
    async web(endpoint: string, p256dh: string, auth: string) {
      const made = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(ids()), {
        TTL: 60,
        contentEncoding: "aes128gcm",
        vapidDetails: { subject: vapid.subject, publicKey: vapid.public_key, privateKey: vapid.private_key }
      })
      const answer = await undici(endpoint, {
        method: "POST",
        headers: Object.fromEntries(Object.entries(made.headers).map(([name, value]) => [name, String(value)])),
        body: made.body as unknown as Buffer,
        dispatcher: agent
      })
      await answer.body.dump()
      return answer.statusCode
    },
    async mail(to: string) {
      const transport = createTransport(smtp.url)
      await transport.sendMail({ from: smtp.from, to, subject: "Hi", text: "There" })
      transport.close()
    },
    async webhook(index: number) {
      const { secret, url } = fleet.receivers[index]!
      const body = JSON.stringify({
        id: randomUUID(),
        event: "NOTIFICATION_SENT",
        appId: randomUUID(),
        timestamp: new Date().toISOString(),
        payload: { notificationId: randomUUID(), deviceId: randomUUID(), messageId: "m" }
      })
      const signature = createHmac("sha256", secret ?? "")
        .update(`${now()}.${body}`)
        .digest("hex")
      const headers: Record<string, string> = { "content-type": "application/json" }
      if (secret !== null) headers["x-service-signature"] = `t=${now()}, v1=${signature}`
      const answer = await undici(url, { method: "POST", headers, body })
      await answer.body.dump()
      return answer.statusCode
    },
    async close() {
      for (const opened of sessions) opened.destroy()
      await agent.close()
    }
  }
}

describe("a fleet in a process of its own", () => {
  let fleet: FleetProcess
  let sender: Awaited<ReturnType<typeof senderOf>>

  beforeAll(async () => {
    fleet = await forkFleet({ receivers: [{ name: "one" }, { name: "plain", secret: null }] })
    sender = await senderOf(fleet.description)
  })
  afterAll(async () => {
    await sender.close()
    await fleet.stop()
  })

  it("gives credentials in the shape that the engine takes", () => {
    const { apns, fcm, smtp, webpush: vapid } = fleet.description.credentials
    expect(Schema.decodeUnknownSync(ApnsCredential)(apns)).toEqual(apns)
    expect(Schema.decodeUnknownSync(FcmCredential)(fcm)).toEqual(fcm)
    expect(Schema.decodeUnknownSync(SmtpCredential)(smtp)).toEqual(smtp)
    expect(Schema.decodeUnknownSync(WebPushCredential)(vapid)).toEqual(vapid)
  })

  it("takes what a sender with those credentials sends to its audience, over every protocol", async () => {
    await fleet.reset()
    const audience = new Audience(fleet.description.audience)
    const statuses: Array<number> = []
    for (let index = 0; index < 20; index++) {
      const device = audience.device(index)
      if (device.platform === "ios") statuses.push(await sender.apns(device.token, device.environment))
      else if (device.platform === "android") statuses.push(await sender.fcm(device.token))
      else statuses.push(await sender.web(device.token, device.web_push_p256dh!, device.web_push_auth!))
    }
    await sender.mail(audience.email(0))
    statuses.push(await sender.webhook(0), await sender.webhook(1))
    expect(statuses.filter((status) => status >= 300)).toEqual([])
    expect(await fleet.stats()).toMatchObject({
      apns: { accepted: 4 },
      "apns-sandbox": { accepted: 4 },
      fcm: { accepted: 8, tokensIssued: 8 },
      webpush: { accepted: 4, decrypted: 4, reusedSenderKeys: 0 },
      smtp: { accepted: 1 },
      webhooks: { accepted: 2 },
      "webhooks/one": { accepted: 1 },
      "webhooks/plain": { accepted: 1 }
    })
    expect((await fleet.received("webpush")).size).toBe(4)
    expect((await fleet.received("webhooks/one")).size).toBe(1)
    await fleet.reset()
    expect((await fleet.stats())["fcm"]!.accepted).toBe(0)
    expect((await fleet.received("webpush")).size).toBe(0)
  })

  it("answers that dead devices are dead", async () => {
    const { audience } = fleet.description
    const dead = (mix: { ios: number; android: number; web: number }) =>
      new Audience({ ...audience, deadEvery: 1, mix }).device(0)
    expect(await sender.apns(dead({ ios: 1, android: 0, web: 0 }).token, "production")).toBe(410)
    expect(await sender.fcm(dead({ ios: 0, android: 1, web: 0 }).token)).toBe(404)
    const web = dead({ ios: 0, android: 0, web: 1 })
    expect(await sender.web(web.token, web.web_push_p256dh!, web.web_push_auth!)).toBe(410)
  })

  it("changes its behaviour over the control API, and says what is wrong with a rule", async () => {
    const audience = new Audience({ ...fleet.description.audience, mix: { ios: 1, android: 0, web: 0 } })
    await fleet.behave("apns", { do: "refuse", status: 503, first: 1 })
    expect(await sender.apns(audience.device(0).token, "production")).toBe(503)
    expect(await sender.apns(audience.device(0).token, "production")).toBe(200)
    await fleet.behave("webhooks/one", { do: "refuse", status: 500 })
    expect(await sender.webhook(0)).toBe(500)
    expect(await sender.webhook(1)).toBe(200)
    await fleet.behave("webhooks/one")
    await expect(fleet.behave("apns", { do: "nothing" } as never)).rejects.toThrow("rules[0].do must be one of")
    await expect(fleet.behave("pigeon", { do: "hang" })).rejects.toThrow("simulator must be one of apns, apns-sandbox")
    await expect(fleet.received("pigeon")).rejects.toThrow("404")
  })

  it("describes itself to other processes", async () => {
    const answer = await undici(`${fleet.description.control}/fleet`)
    expect(await answer.body.json()).toEqual(fleet.description)
  })
})

describe("a fleet with a folder", () => {
  it("keeps its credentials and its devices over a restart, its keys for its owner alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "heliograph-fleet-test-"))
    try {
      const first = await startFleet({ folder })
      await first.close()
      // So its addresses, which are in the credentials.
      const second = await startFleet({ folder, ports: { control: 0 } })
      expect(second.description).toEqual(first.description)
      // Another one beside it finds its ports taken, and takes others.
      const beside = await startFleet({ folder })
      await beside.close()
      await second.close()
      expect(beside.description.urls.apns).not.toBe(first.description.urls.apns)
      expect(beside.description.credentials.webpush).toEqual(first.description.credentials.webpush)
      expect((await stat(join(folder, "secrets.json"))).mode & 0o777).toBe(0o600)
      // What a crash has cut off while it was written is not what is read.
      for (const name of ["secrets", "ports"]) await writeFile(join(folder, `${name}.json.part`), "{")
      const after = await startFleet({ folder })
      await after.close()
      expect(after.description).toEqual(beside.description)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe("a fleet that is reached under another name", () => {
  it("uses that name in its addresses and its certificate, and keeps its keys when the name changes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "heliograph-fleet-test-"))
    try {
      const plain = await startFleet({ folder })
      await plain.close()
      const named = await startFleet({ folder, host: "0.0.0.0", advertise: "localhost" })
      const { credentials, urls } = named.description
      expect(Object.values(urls).every((url) => new URL(url).hostname === "localhost")).toBe(true)
      expect(credentials.fcm.service_account.token_uri).toBe(`${urls.fcm}/token`)
      expect(credentials.apns.private_key).toBe(plain.description.credentials.apns.private_key)
      const sender = await senderOf(named.description)
      const audience = new Audience({ ...named.description.audience, mix: { ios: 0, android: 1, web: 1 } })
      expect(await sender.fcm(audience.device(0).token)).toBe(200)
      const web = audience.device(1)
      expect(await sender.web(web.token, web.web_push_p256dh!, web.web_push_auth!)).toBe(201)
      await sender.close()
      await named.close()

      const elsewhere = await startFleet({ folder, advertise: "simulators.test" })
      await elsewhere.close()
      expect(elsewhere.description.settings.OUTBOUND_ALLOW_CIDRS).toContain("172.16.0.0/12")
      const secrets = JSON.parse(await readFile(join(folder, "secrets.json"), "utf8")) as {
        certificates: { cert: string }
      }
      expect(new X509Certificate(secrets.certificates.cert).checkHost("simulators.test")).toBe("simulators.test")
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe("a fleet without a folder", () => {
  it("leaves nothing behind, also when it could not start", async () => {
    const fleet = await startFleet()
    const { port } = fleet.apns
    await expect(startFleet({ ports: { fcm: port } })).rejects.toThrow("EADDRINUSE")
    await fleet.close()
    await expect(access(fleet.description.ca)).rejects.toThrow("ENOENT")
  })
})
