import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read } from "../../layers/config/Settings.ts"
import { lastingPort } from "../../sdk/conformance/engine.ts"
import {
  asLines,
  deliveries,
  guideBlock,
  phpAutoload,
  phpGuide,
  post,
  pythonGuide,
  readBlocks,
  rubyGuide,
  SECRET,
  statusesOf,
  withServer
} from "../../sdk/conformance/readmes.ts"
import { parseWebhook, verifyWebhook } from "../../sdk/node/heliograph.js"
import { deliveryHeaders } from "../../services/engine/webhooks/Attempt.ts"

interface Vector {
  readonly name: string
  readonly secret: string
  readonly header: string
  readonly body: string
  readonly now: number
  readonly valid: boolean
}

const root = resolve(import.meta.dirname, "../..")
const file = (name: string) => readFile(new URL(`../../sdk/node/${name}`, import.meta.url), "utf8")
const guide = await file("README.md")
const { vectors } = JSON.parse(await file("receivers.vectors.json")) as { readonly vectors: ReadonlyArray<Vector> }

let directory = ""
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "heliograph-receivers-"))
  await mkdir(join(directory, "node_modules/@heliograph"), { recursive: true })
  await symlink(join(root, "sdk/node"), join(directory, "node_modules/@heliograph/node"))
  await writeFile(join(directory, "package.json"), '{"type":"module"}')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** How the guide's sample of a language is run: with deliveries on its standard input, of which it prints the statuses. */
interface Runner {
  readonly language: string
  readonly command: string
  readonly probe: ReadonlyArray<string>
  readonly files: () => Promise<Readonly<Record<string, string>>>
  readonly run: ReadonlyArray<string>
}

/** Those whose SDK needs nothing that the language alone does not bring, and is not compiled. */
const RUNNERS: ReadonlyArray<Runner> = [
  {
    language: "Node",
    command: process.execPath,
    probe: ["--version"],
    files: async () => ({
      "guide.ts": `import { createInterface } from "node:readline"
const queue = { add: async (_id: string, _event: object) => {} }
${await guideBlock("ts")}
for await (const line of createInterface({ input: process.stdin })) {
  const [header, body] = line.split("\\t")
  console.log(receive(Buffer.from(body!, "base64"), header || undefined, process.env.WEBHOOK_SECRET))
}`
    }),
    run: [process.execPath, "guide.ts"]
  },
  {
    language: "PHP",
    command: "php",
    probe: ["--version"],
    files: async () => ({ "vendor/autoload.php": phpAutoload, "guide.php": await phpGuide() }),
    run: ["php", "guide.php"]
  },
  {
    language: "Ruby",
    command: "ruby",
    probe: ["--version"],
    files: async () => ({ "guide.rb": await rubyGuide() }),
    run: ["ruby", "-I", join(root, "sdk/ruby/lib"), "guide.rb"]
  },
  {
    language: "Python",
    command: "python3",
    // The package needs httpx, which `npm run test:sdks` brings along.
    probe: ["-c", "import httpx"],
    files: async () => ({ "guide.py": await pythonGuide() }),
    run: ["python3", "guide.py"]
  }
]

const ELSEWHERE = "npm run test:sdks, which installs what they need, runs the samples of all languages"

/** Programs that are not installed cannot run a sample; Node is always there. */
const isInstalled = ({ command, probe }: Runner): boolean => spawnSync(command, probe).status === 0

const spawned = (command: string, args: ReadonlyArray<string>, input?: string): string => {
  const env = {
    ...process.env,
    PYTHONPATH: join(root, "sdk/python"),
    PYTHONDONTWRITEBYTECODE: "1",
    WEBHOOK_SECRET: SECRET
  }
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: directory, encoding: "utf8", env, input })
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout
}

/** On a machine with other work. */
const TIMEOUT_MS = 120_000

const write = async (files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text)
  }
}

/** A program that listens, and what it answers to each delivery. */
const served = async (name: string, code: string) => {
  const port = await lastingPort()
  const queue = "const queue = { add: async (_id: string, _event: object) => {} }\n"
  await write({ [name]: code.replace(".listen(3000)", `.listen(${port})`).replace(/\n\n/, `\n${queue}\n`) })
  const env = { ...process.env, WEBHOOK_SECRET: SECRET }
  return withServer([process.execPath, name], directory, env, port, async (url) => {
    const list = deliveries()
    expect(await post(url, list)).toEqual(statusesOf(list))
  })
}

/** Of Express, which the project does not install, what its receiver uses. */
const EXPRESS = `import { createServer } from "node:http"
const express = () => {
  const routes = new Map()
  return {
    post: (path, ...handlers) => void routes.set(path, handlers),
    listen: (port) =>
      createServer(async (request, response) => {
        const handlers = request.method === "POST" ? routes.get(request.url) : undefined
        if (handlers === undefined) return response.writeHead(404).end()
        request.get = (name) => request.headers[name.toLowerCase()]
        response.sendStatus = (status) => response.writeHead(status).end()
        for (const handler of handlers) await new Promise((next) => void handler(request, response, next))
      }).listen(port)
  }
}
express.raw = () => async (request, _response, next) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  request.body = Buffer.concat(chunks)
  next()
}
export default express
`

describe("the receivers' guide", () => {
  it("has a reference for languages without an SDK, which verifies every vector as it should", async () => {
    const program = `import { readFileSync } from "node:fs"
${await guideBlock("js")}
const { vectors } = JSON.parse(readFileSync("vectors.json", "utf8"))
console.log(JSON.stringify(vectors.map((v) => verify(v.secret, v.header, Buffer.from(v.body), v.now))))`
    await write({ "reference.js": program, "vectors.json": JSON.stringify({ vectors }) })
    const results = JSON.parse(spawned(process.execPath, ["reference.js"])) as ReadonlyArray<boolean>
    const all = vectors.map(({ name }, i) => [name, results[i]])
    expect(all).toEqual(vectors.map(({ name, valid }) => [name, valid]))
  })

  for (const runner of RUNNERS) {
    const { command, files, language, run } = runner
    it(
      `has a sample in ${language} that takes what is genuine and refuses the rest`,
      async ({ skip }) => {
        if (!isInstalled(runner)) {
          process.stdout.write(
            `The receiver in ${language} was NOT RUN: ${command} ${runner.probe.join(" ")} fails. ${ELSEWHERE}.\n`
          )
          skip()
        }
        await write(await files())
        const list = deliveries()
        const statuses = spawned(run[0]!, run.slice(1), asLines(list)).trim().split("\n")
        expect(statuses.map(Number)).toEqual(statusesOf(list))
      },
      TIMEOUT_MS
    )
  }

  it("has samples in Go, Java and C# that are run where their SDKs are compiled", async () => {
    process.stdout.write(
      `The receivers in Go, Java and C# were NOT RUN: their SDKs have to be compiled. ${ELSEWHERE}.\n`
    )
    expect(await guideBlock("go")).toContain("heliograph.NewWebhooks(secret).Parse(")
    expect(await guideBlock("java")).toContain("new Webhooks(secret).parse(")
    expect(await guideBlock("csharp")).toContain("new Webhooks(secret).Parse(")
  })

  it(
    "has a receiver for node:http, and one for Express, that answer as they should",
    async () => {
      const [plain, express] = (await readBlocks("node/README.md", "ts")).filter((code) =>
        code.includes(".listen(3000)")
      )
      await served("plain.ts", plain!)
      await write({
        "node_modules/express/package.json": '{"type":"module","exports":"./index.js"}',
        "node_modules/express/index.js": EXPRESS
      })
      process.stdout.write("Express itself was NOT RUN: its receiver runs with a stand-in, as it is not installed.\n")
      await served("express.ts", express!)
    },
    TIMEOUT_MS
  )

  it("has vectors that are what the engine sends", () => {
    const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex")
    const headerOf = (secrets: ReadonlyArray<string>, { body, header }: Vector) =>
      new Map(deliveryHeaders(secrets, body, Number(/t=(\d+)/.exec(header)![1]) * 1000, hmac)).get(
        "x-service-signature"
      )
    const [plain] = vectors
    expect(headerOf([plain!.secret], plain!)).toBe(plain!.header)
    for (const vector of vectors.filter(({ valid }) => valid)) {
      const [, signature] = / v1=([0-9a-f]{64})$/.exec(headerOf([vector.secret], vector)!)!
      expect(vector.header).toContain(signature)
    }
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThan(5)
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThan(10)
    expect(guide).toContain(`X-Service-Signature: ${plain!.header}\n\n${plain!.body}\n`)
  })

  it("has vectors that the package's own helper verifies as it should, with the body as text and as bytes", () => {
    for (const { body, header, name, now, secret, valid } of vectors) {
      expect([name, verifyWebhook(body, header, secret, { now })]).toEqual([name, valid])
      expect(verifyWebhook(Buffer.from(body), [header], ["another", secret], { now })).toBe(valid)
      if (valid) expect(parseWebhook(Buffer.from(body), header, secret, { now })).toEqual(JSON.parse(body))
      else expect(() => parseWebhook(body, header, secret, { now })).toThrow("signature")
    }
    const { body, header, now, secret } = vectors[0]!
    expect(verifyWebhook(body, header, secret, { now: now + 300 })).toBe(true)
    expect(verifyWebhook(body, header, secret, { now: now + 301 })).toBe(false)
    expect(verifyWebhook(body, header, secret, { now: now + 301, toleranceSeconds: 400 })).toBe(true)
    expect(verifyWebhook(body, header, secret)).toBe(Math.abs(Date.now() / 1000 - now) <= 300)
    expect(verifyWebhook(body, undefined, secret, { now })).toBe(false)
    expect(verifyWebhook(body, header, [], { now })).toBe(false)
    expect(verifyWebhook(body, header, secret, { now, toleranceSeconds: Number.NaN })).toBe(false)
  })

  it("has a helper that an empty secret does not open", () => {
    const signature = createHmac("sha256", "").update("1.{}").digest("hex")
    expect(verifyWebhook("{}", `t=1, v1=${signature}`, "", { now: 1 })).toBe(false)
  })

  it("has a helper that says of an empty secret that it is, and counts none that is missing among several", () => {
    const { body, header, now, secret } = vectors[0]!
    for (const none of ["", [], [""], [undefined]])
      expect(() => parseWebhook(body, header, none, { now })).toThrow(new TypeError("secret is required, and is empty"))
    expect(verifyWebhook(body, header, [undefined, secret], { now })).toBe(true)
  })

  it("has a helper that says so when it is given what was parsed already", () => {
    const { body, header, now, secret } = vectors[0]!
    for (const parsed of [JSON.parse(body), undefined, null]) {
      expect(() => parseWebhook(parsed, header, secret, { now })).toThrow(/^rawBody is the body as it came, in bytes/)
    }
  })

  it("has a helper that says so when the secret is missing, instead of refusing every delivery", () => {
    expect(() => verifyWebhook("{}", "t=1, v1=00", undefined, { now: 1 })).toThrow(new TypeError("secret is required"))
  })

  it("states the defaults as they are", () => {
    const { engine } = read({})
    const delays = engine.webhookRetryDelaysMs.map((ms) => `${ms / 1000} s`)
    const total = engine.webhookRetryDelaysMs.reduce((sum, ms) => sum + ms, 0) / 60_000
    expect(guide).toContain(
      `An event is tried ${delays.length + 1} times: at once, and then ${delays.slice(0, -1).join(", ")} and ${delays.at(-1)} after the attempt before it, ${total} minutes in total.`
    )
    expect(guide).toContain(`within ${engine.webhookTimeoutMs / 1000} seconds`)
    expect(guide).toContain(`After ${engine.webhookDisableAfter} failed deliveries in a row`)
  })
})
