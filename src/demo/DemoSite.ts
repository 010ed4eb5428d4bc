import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface DemoSiteOptions {
  readonly api: string
  readonly appId: string
  readonly key: string
  /** Stays on this server, as a customer's does. */
  readonly secretKey: string
}

const page = (client: Readonly<Record<string, string>>): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Heliograph in the browser</title>
<meta name="viewport" content="width=device-width">
<style>
body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark }
button { font: inherit; padding: .5rem 1rem }
</style></head><body>
<h1>Heliograph in the browser</h1>
<p><button id="allow">Allow notifications</button> <button id="send" disabled>Send me a message</button></p>
<ol id="steps" role="status"></ol>
<script type="module">
  import { createClient } from "/sdk/browser.js"
  const heliograph = createClient(${JSON.stringify(client)})
  const send = document.querySelector("#send")
  const say = (words) => {
    const step = document.createElement("li")
    step.textContent = words
    document.querySelector("#steps").append(step)
  }
  const message = async () => {
    const { deviceId } = await heliograph.state()
    const answer = await fetch("/send", { method: "POST", body: deviceId })
    say(answer.ok ? "The engine has taken a message for this browser." : await answer.text())
  }
  document.querySelector("#allow").onclick = () =>
    heliograph.subscribe().then(() => {
      say("This browser is registered.")
      send.disabled = false
      return message()
    }).catch((error) => say(error.code + ": " + error.message))
  send.onclick = message
  heliograph.on("message", ({ title }) => say("It arrived, was decrypted and shown: " + title))
  heliograph.on("click", () => say("You clicked on it."))
  heliograph.state().then(({ subscribed }) => (send.disabled = !subscribed))
</script></body></html>`

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) if (text.length < 1000) text += String(chunk)
  return text
}

/** A customer's site: one page with a button, the files of the SDK passed on, and a server that sends. */
export const openDemoSite = async ({ api, appId, key, secretKey }: DemoSiteOptions) => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.split("?", 1)[0]!
    if (path === "/") {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
      return void response.end(page({ appId, key, api }))
    }
    if (path === "/send" && request.method === "POST") {
      const sent = await fetch(`${api}/api/v1/notifications`, {
        method: "POST",
        headers: { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" },
        body: JSON.stringify({
          to: { device_ids: [await readBody(request)] },
          content: { title: "Hello from Heliograph", body: "Encrypted by the engine, read by your browser alone." }
        })
      })
      return void response.writeHead(sent.ok ? 202 : 502).end(await sent.text())
    }
    if (path !== "/sw.js" && path !== "/sdk/browser.js") return void response.writeHead(404).end()
    const file = await fetch(api + path)
    response.writeHead(file.status, { "content-type": file.headers.get("content-type") ?? "text/plain" })
    response.end(await file.text())
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
