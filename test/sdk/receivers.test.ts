import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read } from "../../layers/config/Settings.ts"
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

const file = (name: string) => readFile(new URL(`../../sdk/node/${name}`, import.meta.url), "utf8")
const guide = await file("README.md")
const { vectors } = JSON.parse(await file("receivers.vectors.json")) as { readonly vectors: ReadonlyArray<Vector> }

/** The one block of code that the guide has in a language. */
const codeOf = (language: string): string => {
  const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language)
  expect(blocks).toHaveLength(1)
  return blocks[0]![2]!
}

/** How to run the function of a language on every vector. The program prints a JSON list of booleans. */
interface Runner {
  readonly language: string
  readonly command: string
  readonly probe: ReadonlyArray<string>
  readonly file: string
  readonly source: (code: string) => string
  /** Makes of the file what `run` runs; without it the file itself is run by `command`. */
  readonly build?: ReadonlyArray<string>
  readonly run?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
}

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** The vectors as arguments, for languages that would need a package to read JSON: four for each, texts in base64. */
const asArguments = vectors.flatMap(({ body, header, now, secret }) => [
  base64(secret),
  base64(header),
  base64(body),
  `${now}`
])

const RUNNERS: ReadonlyArray<Runner> = [
  {
    language: "js",
    command: process.execPath,
    probe: ["--version"],
    file: "receiver.mjs",
    source: (code) => `import { readFileSync } from "node:fs"
${code}
const { vectors } = JSON.parse(readFileSync("vectors.json", "utf8"))
console.log(JSON.stringify(vectors.map((v) => verify(v.secret, v.header, Buffer.from(v.body), v.now))))`
  },
  {
    language: "python",
    command: "python3",
    probe: ["--version"],
    file: "receiver.py",
    source: (code) => `import json
${code}
vectors = json.load(open("vectors.json", encoding="utf-8"))["vectors"]
print(json.dumps([verify(v["secret"], v["header"], v["body"].encode(), v["now"]) for v in vectors]))`
  },
  {
    language: "php",
    command: "php",
    probe: ["--version"],
    file: "receiver.php",
    source: (code) => `${code}
$vectors = json_decode(file_get_contents("vectors.json"), true)["vectors"];
echo json_encode(array_map(fn($v) => verify($v["secret"], $v["header"], $v["body"], $v["now"]), $vectors));`
  },
  {
    language: "go",
    command: "go",
    probe: ["version"],
    file: "receiver.go",
    // Programs start in a package `main`; imports have to stand before everything else.
    source: (code) =>
      `${code.replace("package receiver", "package main").replace("import (", 'import (\n\t"encoding/json"\n\t"os"')}
func main() {
	var file struct {
		Vectors []struct {
			Secret, Header, Body string
			Now                  int64
		}
	}
	text, _ := os.ReadFile("vectors.json")
	if err := json.Unmarshal(text, &file); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, v := range file.Vectors {
		results = append(results, Verify(v.Secret, v.Header, []byte(v.Body), v.Now))
	}
	json.NewEncoder(os.Stdout).Encode(results)
}`,
    build: ["go", "build", "-o", "receiver-go", "receiver.go"],
    run: ["./receiver-go"]
  },
  {
    language: "ruby",
    command: "ruby",
    probe: ["--version"],
    file: "receiver.rb",
    source: (code) => `require "json"
${code}
vectors = JSON.parse(File.read("vectors.json", encoding: "utf-8"))["vectors"]
puts JSON.generate(vectors.map { |v| verify(v["secret"], v["header"], v["body"], v["now"]) })`
  },
  {
    language: "csharp",
    // Mono's compiler: the SDK of .NET would need a project and a package registry to build one file.
    command: "mcs",
    probe: ["--version"],
    file: "receiver.cs",
    source: (code) => `${code}
static class Program
{
    static void Main(string[] args)
    {
        var results = new List<string>();
        for (var i = 0; i < args.Length; i += 4)
        {
            Func<int, byte[]> bytes = at => Convert.FromBase64String(args[i + at]);
            var secret = Encoding.UTF8.GetString(bytes(0));
            var header = Encoding.UTF8.GetString(bytes(1));
            results.Add(Receiver.Verify(secret, header, bytes(2), long.Parse(args[i + 3])) ? "true" : "false");
        }
        Console.WriteLine("[" + string.Join(",", results) + "]");
    }
}`,
    build: ["mcs", "-out:receiver.exe", "receiver.cs"],
    run: ["mono", "receiver.exe"],
    args: asArguments
  },
  {
    language: "java",
    command: "java",
    // A runtime alone cannot run a source file.
    probe: ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-version"],
    file: "Main.java",
    // The first class of a source file is the one that runs.
    source: (code) =>
      code.replace(
        "final class Receiver",
        `class Main {
  public static void main(String[] args) throws Exception {
    var decoder = java.util.Base64.getDecoder();
    var results = new ArrayList<Boolean>();
    for (int i = 0; i < args.length; i += 4) {
      var secret = new String(decoder.decode(args[i]), StandardCharsets.UTF_8);
      var header = new String(decoder.decode(args[i + 1]), StandardCharsets.UTF_8);
      results.add(Receiver.verify(secret, header, decoder.decode(args[i + 2]), Long.parseLong(args[i + 3])));
    }
    System.out.println(results);
  }
}

final class Receiver`
      ),
    args: asArguments
  }
]

/** Programs that are not installed cannot run a snippet; Node is always there. */
const isInstalled = ({ build, command, probe, run }: Runner): boolean =>
  [[command, ...probe], ...(build === undefined ? [] : [[run![0]!, "--version"]])]
    .filter(([program]) => !program!.startsWith("./"))
    .every(([program, ...args]) => spawnSync(program!, args).status === 0)

let directory = ""
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "heliograph-receivers-"))
  await writeFile(join(directory, "vectors.json"), JSON.stringify({ vectors }))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const spawned = (command: string, args: ReadonlyArray<string>): string => {
  // Go wants a place for what it builds, and finds none where HOME is not set. Its library is built there once for all runs.
  const env = {
    ...process.env,
    GOCACHE: join(import.meta.dirname, "../../node_modules/.cache/heliograph-go"),
    GO111MODULE: "off",
    GOTOOLCHAIN: "local"
  }
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: directory, encoding: "utf8", env })
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout
}

/** A build from nothing, on a machine with other work. */
const TIMEOUT_MS = 120_000

describe("the receivers' guide", () => {
  for (const runner of RUNNERS) {
    const { args, build, command, file, language, run, source } = runner
    it(
      `verifies every vector in ${language} as it should`,
      async ({ skip }) => {
        if (!isInstalled(runner)) {
          process.stdout.write(`The receiver in ${language} was not run: ${command} is not installed.\n`)
          skip()
        }
        await writeFile(join(directory, file), source(codeOf(language)))
        if (build !== undefined) spawned(build[0]!, build.slice(1))
        const [program, ...first] = run ?? [command, file]
        const results = JSON.parse(spawned(program!, [...first, ...(args ?? [])])) as ReadonlyArray<boolean>
        const all = vectors.map(({ name }, i) => [name, results[i]])
        expect(all).toEqual(vectors.map(({ name, valid }) => [name, valid]))
      },
      TIMEOUT_MS
    )
  }

  it("has code for seven languages", () => {
    for (const language of ["js", "python", "php", "go", "ruby", "java", "csharp"]) {
      expect(codeOf(language)).toContain("300")
      expect(RUNNERS.map((runner) => runner.language)).toContain(language)
    }
  })

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
