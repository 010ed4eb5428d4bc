import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Links from "../../../layers/crypto/Links.ts"
import { layer } from "../../../layers/mail/SmtpOnDemand.ts"
import * as Whole from "../../../layers/mail/SmtpProvider.ts"
import { SmtpProvider } from "../../../services/ports/sending/Provider.ts"
import * as Smtp from "../../../simulators/Smtp.ts"
import { certificates, credential, message, startSender, target } from "../Sending.ts"

const URL = "https://push.example.org"
const links = Links.layerOf(URL, new Uint8Array(32).fill(7))
let smtp: Smtp.RunningSmtp

beforeAll(async () => void (smtp = await Smtp.start({ certificates })))
afterAll(() => smtp.close())

const owner = () =>
  credential({
    kind: "smtp",
    value: { url: smtp.url.replace("127.0.0.1", "localhost"), from: "Shop <shop@example.org>" }
  })
const batch = (name: string, owned: ReturnType<typeof owner>) => ({
  message: message({ priority: "bulk", content: { subject: "News", body: "Hello" } }),
  credential: owned,
  targets: Array.from({ length: 20 }, (_, n) => target(`${name}${n}@example.com`))
})

describe("SMTP on demand", () => {
  it("is loaded once by batches that begin at the same time, and sends each of their mails", async () => {
    const sender = await startSender(SmtpProvider, layer.pipe(Layer.provide(links)), { BASE_URL: URL })
    const owned = owner()
    const outcomes = await Promise.all(["a", "b", "c"].map((name) => sender.send(batch(name, owned))))
    expect(new Set(outcomes.flat().map(({ _tag }) => _tag))).toEqual(new Set(["Ok"]))
    expect(smtp.stats()).toMatchObject({ accepted: 60, duplicates: 0 })
    // One provider has one pool for the server.
    expect(smtp.stats().connections).toBeLessThanOrEqual(8)
    await sender.close()
  })

  it("holds as many recipients at once as the provider that it loads", async () => {
    const senders = await Promise.all(
      [layer, Whole.layer].map((one) => startSender(SmtpProvider, one.pipe(Layer.provide(links)), { BASE_URL: URL }))
    )
    expect(senders[0]!.provider.window).toBe(senders[1]!.provider.window)
    await Promise.all(senders.map((sender) => sender.close()))
  })
})
