import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expect, it } from "vitest"
import { openFirefox } from "./Browsers.ts"
import { until } from "./Site.ts"

it("npm run demo -- --browser: one click, and the message arrives", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heliograph-browser-demo-"))
  const { DATABASE_URL: _, ...env } = process.env
  const demo = spawn(process.execPath, ["src/main.ts", "demo", "--browser"], {
    env: { ...env, DATA_DIR: folder, BROWSER: "none" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(demo, "exit")
  try {
    const [line] = (await once(createInterface({ input: demo.stdout }), "line")) as [string]
    const { page: url, push } = JSON.parse(line) as { readonly page: string; readonly push: string }
    const firefox = await openFirefox({ push })
    try {
      const page = await firefox.browser.newPage()
      await page.goto(url)
      await page.click("#allow")
      const steps = () => page.evaluate(`document.querySelector("#steps").textContent`) as Promise<string>
      const shown = await until("The message", steps, (text) => text.includes("decrypted and shown"))
      expect(shown).toContain("Hello from Heliograph")
    } finally {
      await firefox.close()
    }
  } finally {
    demo.kill("SIGINT")
    await ended
    await rm(folder, { recursive: true, force: true })
  }
})
