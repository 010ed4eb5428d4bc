import { randomUUID } from "node:crypto"
import { createTransport } from "nodemailer"
import { serveOrders } from "../Child.ts"
import type { SendAnswer } from "../mailing/NodeApn.ts"
import { MAIL, NEWS_FROM } from "./Mail.ts"

/*
 * A mailing by nodemailer's pool: addresses from memory, nothing kept, nothing counted but answers; each recipient has
 * links of their own to unsubscribe, as the engine's have. Arguments: port, connections of the pool.
 */

const CALLS_AT_ONCE = 1000

const [port, connections] = process.argv.slice(2).map(Number) as [number, number]
const transport = createTransport({
  pool: true,
  host: "127.0.0.1",
  port,
  secure: false,
  ignoreTLS: true,
  maxConnections: connections,
  maxMessages: Infinity
})

serveOrders<{ readonly count: number }, SendAnswer>(async ({ count }) => {
  const begun = performance.now()
  let next = 0
  const worker = async () => {
    while (next < count) {
      const n = next++
      const unsubscribe = `http://localhost/u/${randomUUID()}`
      await transport.sendMail({
        from: NEWS_FROM,
        to: `user-${n}@example.com`,
        subject: MAIL.subject,
        text: MAIL.body,
        html: MAIL.html,
        headers: { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
      })
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, worker))
  return { seconds: (performance.now() - begun) / 1000 }
})
