/*
 * Every block of code of the READMEs and of the receivers' guide, run as it stands: the examples on a running service, the
 * receivers with deliveries that are genuine and with others. What a reader has to have is stood in for by a few lines
 * here: a list of tokens, a queue, and of the frameworks that are not installed (Rails, Laravel) what their receivers use.
 */

import { deepEqual, match, ok } from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Engine } from "./engine.ts"
import { lastingPort } from "./engine.ts"

const sdk = resolve(import.meta.dirname, "..")
export const SECRET = "whsec of the READMEs, é"
/** What readers have in their databases. */
export const TOKENS = ["ab".repeat(32), "cd".repeat(32)]

export interface Block {
  readonly language: string
  readonly code: string
}

export const blocksOf = (text: string): ReadonlyArray<Block> =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({ language: language!, code: code! }))

export const readBlocks = async (file: string, language: string): Promise<ReadonlyArray<string>> =>
  blocksOf(await readFile(join(sdk, file), "utf8"))
    .filter((block) => block.language === language)
    .map(({ code }) => code)

/** The one block of the guide in a language. JavaScript is what the guide says without an SDK. */
export const guideBlock = async (language: string): Promise<string> => {
  const text = await readFile(join(sdk, "node/README.md"), "utf8")
  const blocks = blocksOf(text.slice(text.indexOf("### With an SDK"), text.indexOf("### In Node without a framework")))
  const found = blocks.filter((block) => block.language === language)
  if (found.length !== 1) throw new Error(`The guide has ${found.length} blocks in ${language}`)
  return found[0]!.code
}

/** The lines that have to stand before everything else, and all others. */
export const split = (code: string, isFirst: RegExp): { readonly first: string; readonly rest: string } => {
  const lines = code.split("\n")
  return {
    first: lines.filter((line) => isFirst.test(line)).join("\n"),
    rest: lines.filter((line) => !isFirst.test(line)).join("\n")
  }
}

export interface Delivery {
  readonly header: string
  readonly body: string
  readonly status: number
}

/** As the service would send them now, and as others might. */
export const deliveries = (): ReadonlyArray<Delivery> => {
  const event = {
    id: "01a0a8cd-6c00-7000-8000-3b1f6d0c5a11",
    event: "NOTIFICATION_SENT",
    appId: "01941b2e-7c10-7d3a-9f00-3b1f6d0c5a11",
    timestamp: "2026-09-21T14:13:20.000Z",
    payload: { notificationId: "01a0a8cd-6b00-7000-8000-000000000001", messageId: "日本é", stepOrder: 1 }
  }
  const body = JSON.stringify(event)
  const now = Math.floor(Date.now() / 1000)
  const sign = (t: number, secret: string) => createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")
  const header = `t=${now}, v1=${sign(now, SECRET)}`
  return [
    { header, body, status: 204 },
    { header: `t=${now}, v1=${sign(now, "former")}, v1=${sign(now, SECRET)}`, body, status: 204 },
    { header: `t=${now}, v1=${sign(now, "another")}`, body, status: 400 },
    { header, body: JSON.stringify(event, null, 1), status: 400 },
    { header: `t=${now - 1000}, v1=${sign(now - 1000, SECRET)}`, body, status: 400 },
    { header: "", body, status: 400 }
  ]
}

/** For programs: a header and a body in base64 on each line, with a tab between them. */
export const asLines = (list: ReadonlyArray<Delivery>): string =>
  list.map(({ body, header }) => `${header}\t${Buffer.from(body).toString("base64")}\n`).join("")

export const statusesOf = (list: ReadonlyArray<Delivery>): ReadonlyArray<number> => list.map(({ status }) => status)

/** What a receiver at this address says to each. */
export const post = async (url: string, list: ReadonlyArray<Delivery>): Promise<ReadonlyArray<number>> => {
  const statuses: Array<number> = []
  for (const { body, header } of list) {
    const headers = { "content-type": "application/json", ...(header === "" ? {} : { "x-service-signature": header }) }
    statuses.push((await fetch(url, { method: "POST", body, headers })).status)
  }
  return statuses
}

/** What of a README is run. Commands stand below a directory that has the files, and has `{sdk}` for that of the SDKs. */
interface Programs {
  readonly files: Readonly<Record<string, string>>
  readonly build?: ReadonlyArray<ReadonlyArray<string>>
  /** Those that together do all five examples. */
  readonly examples: ReadonlyArray<ReadonlyArray<string>>
  /** Each prints the statuses of all deliveries, a number a line. */
  readonly receivers?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Each answers deliveries at `/webhook` of the port 3000, in whose place another is written. */
  readonly servers?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly env?: Readonly<Record<string, string>>
  /** What was stood in for, or not run. */
  readonly notes?: ReadonlyArray<string>
}

const json = JSON.stringify

const node = async (): Promise<Programs> => {
  const blocks = await readBlocks("node/README.md", "ts")
  const examples = blocks.filter((code) => /heliograph\.|createClient/.test(code) && !code.includes("parseWebhook"))
  const { first, rest } = split(examples.join("\n"), /^import /)
  return {
    files: {
      "package.json": '{"type":"module"}',
      "examples.ts": `${first}
async function* devicesFromMyDatabase() {
  for (const token of ${json(TOKENS)}) yield { platform: "ios" as const, token }
}
${rest}`
    },
    examples: [["node", "examples.ts"]],
    notes: ["receivers, with node:http and with Express, are run by npm test"]
  }
}

const PYTHON_LOOP = `
import base64, os, sys
for line in sys.stdin.read().splitlines():
    header, body = line.split("\\t")
    print(receive_one(header, base64.b64decode(body)))
`

export const pythonGuide = async (): Promise<string> => `import queue as queues
queue = queues.Queue()
${await guideBlock("python")}
def receive_one(header, body):
    return receive(body, header, os.environ["WEBHOOK_SECRET"])
${PYTHON_LOOP}`

const python = async (): Promise<Programs> => {
  const blocks = await readBlocks("python/README.md", "python")
  return {
    files: {
      "examples.py": `${blocks
        .slice(0, -1)
        .join("\n")
        .replace(
          "def devices",
          `def my_database():\n    return [{"token": token, "user": "user-42"} for token in ${json(TOKENS)}]\n\ndef devices`
        )}`,
      "receiver.py": blocks.at(-1)!,
      "fastapi_run.py": `from fastapi.testclient import TestClient
from receiver import app

client = TestClient(app)
def receive_one(header, body):
    return client.post("/webhook", content=body, headers={"X-Service-Signature": header} if header else {}).status_code
${PYTHON_LOOP}`,
      "guide.py": await pythonGuide()
    },
    examples: [["{sdk}/python/.venv/bin/python", "-W", "ignore", "examples.py"]],
    receivers: {
      FastAPI: ["{sdk}/python/.venv/bin/python", "-W", "ignore", "fastapi_run.py"],
      "the guide": ["{sdk}/python/.venv/bin/python", "guide.py"]
    },
    env: { PYTHONPATH: join(sdk, "python"), PYTHONDONTWRITEBYTECODE: "1" }
  }
}

const GO_MODULE = "github.com/heliograph/heliograph/sdk/go"

/** Fragments of Go in functions, the names that stand before them declared. */
const goFragments = (fragments: ReadonlyArray<string>): string => `package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	heliograph "${GO_MODULE}"
)

var tokens = []string{${TOKENS.map((token) => json(token)).join(", ")}}

${fragments.map((code, i) => `func example${i}(ctx context.Context, client *heliograph.Client) error {\n${code}\nreturn nil\n}\n`).join("\n")}
func main() {
	client, err := heliograph.New(os.Getenv("HELIOGRAPH_KEY"), "https://push.example.com")
	if err != nil {
		log.Fatal(err)
	}
	for _, example := range []func(context.Context, *heliograph.Client) error{${fragments.map((_, i) => `example${i}`).join(", ")}} {
		if err := example(context.Background(), client); err != nil {
			log.Fatal(err)
		}
	}
	var _ = errors.As
	fmt.Println("done")
}
`

export const goGuide = async (): Promise<Readonly<Record<string, string>>> => ({
  "guide/receive.go": `package main\n\n${await guideBlock("go")}`,
  "guide/main.go": `package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	heliograph "${GO_MODULE}"
)

var queue = make(chan *heliograph.WebhookEvent, 100)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		header, text, _ := strings.Cut(lines.Text(), "\\t")
		body, _ := base64.StdEncoding.DecodeString(text)
		status, err := receive(body, header, os.Getenv("WEBHOOK_SECRET"))
		if err != nil {
			panic(err)
		}
		fmt.Println(status)
	}
}
`,
  "go.mod": `module examples

go 1.23

require ${GO_MODULE} v0.0.0

replace ${GO_MODULE} => ${join(sdk, "go")}
`
})

const go = async (): Promise<Programs> => {
  const blocks = await readBlocks("go/README.md", "go")
  const programs = blocks.filter((code) => code.startsWith("package main"))
  const [send, server, gin] = programs as [string, string, string]
  return {
    files: {
      ...(await goGuide()),
      "send/main.go": send,
      "rest/main.go": goFragments(blocks.filter((code) => !code.startsWith("package main"))),
      "server/main.go": server,
      // A module of its own, for what it needs of others.
      "gin/main.go": gin,
      "gin/go.mod": `module examples/gin

go 1.23

require (
	github.com/gin-gonic/gin v1.10.1
	${GO_MODULE} v0.0.0
)

replace ${GO_MODULE} => ${join(sdk, "go")}
`
    },
    build: [
      ["go", "build", "-o", "bin/", "./..."],
      ["go", "build", "-C", "gin", "-mod=mod", "-o", "../bin/gin", "."]
    ],
    examples: [["bin/send"], ["bin/rest"]],
    receivers: { "the guide": ["bin/guide"] },
    servers: { "net/http": ["bin/server"], Gin: ["bin/gin"] },
    env: { GIN_MODE: "release" }
  }
}

export const rubyGuide = async (): Promise<string> => `${await guideBlock("ruby")}
def enqueue(event) = event.fetch(:id)
def receive_one(header, body) = receive(body, header, ENV.fetch("WEBHOOK_SECRET"))
${RUBY_LOOP}`

const RUBY_LOOP = `$stdin.each_line(chomp: true) do |line|
  header, body = line.split("\\t", 2)
  puts receive_one(header, body.unpack1("m"))
end
`

const ruby = async (): Promise<Programs> => {
  const blocks = await readBlocks("ruby/README.md", "ruby")
  return {
    files: {
      "examples.rb": `tokens = ${json(TOKENS)}\n${blocks.slice(0, -1).join("\n")}`,
      "rails.rb": `require "heliograph"
module ActionController
  class API
    attr_reader :request, :status
    def initialize(request) = @request = request
    def head(status) = @status = { no_content: 204, bad_request: 400 }.fetch(status)
  end
end
class WebhookJob
  def self.perform_later(event) = event.fetch(:id)
end
${blocks.at(-1)!}
Request = Struct.new(:raw_post, :headers)
def receive_one(header, body)
  controller = WebhooksController.new(Request.new(body, header.empty? ? {} : { "X-Service-Signature" => header }))
  controller.create
  controller.status
end
${RUBY_LOOP}`,
      "guide.rb": await rubyGuide()
    },
    examples: [["ruby", "-W1", "-I", "{sdk}/ruby/lib", "examples.rb"]],
    receivers: {
      "Rails (a stand-in of it)": ["ruby", "-W1", "-I", "{sdk}/ruby/lib", "rails.rb"],
      "the guide": ["ruby", "-W1", "-I", "{sdk}/ruby/lib", "guide.rb"]
    },
    notes: ["Rails itself is NOT RUN: its receiver was run with a stand-in"]
  }
}

const PHP_LOOP = `foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$header, $body] = explode("\\t", $line, 2);
    echo receiveOne($header, base64_decode($body)), "\\n";
}
`

/** What Composer would write. */
export const phpAutoload = `<?php
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Heliograph\\\\')) {
        require ${json(join(sdk, "php/src"))} . '/' . str_replace('\\\\', '/', substr($class, 11)) . '.php';
    }
});
`

export const phpGuide = async (): Promise<string> => `<?php
require 'vendor/autoload.php';
${await guideBlock("php")}
function enqueue(array $event): void
{
    assert($event['id'] !== '');
}
function receiveOne(string $header, string $body): int
{
    return receive($body, $header, getenv('WEBHOOK_SECRET'));
}
${PHP_LOOP}`

const php = async (): Promise<Programs> => {
  const blocks = await readBlocks("php/README.md", "php")
  const { first, rest } = split(blocks.at(-1)!.replace("<?php\n", ""), /^use /)
  return {
    files: {
      "vendor/autoload.php": `${phpAutoload}
require is_file(${json(join(sdk, "php/vendor/autoload.php"))}) ? ${json(join(sdk, "php/vendor/autoload.php"))} : 'GuzzleHttp/autoload.php';
`,
      "examples.php": blocks
        .slice(0, -1)
        .join("\n")
        .replace("use Heliograph\\Client;", `use Heliograph\\Client;\n\n$tokens = ${json(TOKENS)};`),
      "laravel.php": `<?php
namespace Illuminate\\Support\\Facades {
    final class Route
    {
        public static \\Closure $action;
        public static function post(string $path, \\Closure $action): void
        {
            self::$action = $action;
        }
    }
}
namespace Illuminate\\Http {
    final class Request
    {
        public function __construct(private string $content, private ?string $signature)
        {
        }
        public function getContent(): string
        {
            return $this->content;
        }
        public function header(string $name): ?string
        {
            return $name === 'X-Service-Signature' ? $this->signature : null;
        }
    }
}
namespace App\\Jobs {
    final class HandleEvent
    {
        public static function dispatch(array $event): void
        {
            assert($event['id'] !== '');
        }
    }
}
namespace {
    require 'vendor/autoload.php';
    final class Refusal extends \\Exception
    {
    }
    function abort(int $status): never
    {
        throw new Refusal('', $status);
    }
    function config(string $name, mixed $default): mixed
    {
        return $name === 'services.heliograph.webhook_secret' ? getenv('WEBHOOK_SECRET') : $default;
    }
    function response(): object
    {
        return new class {
            public function noContent(): int
            {
                return 204;
            }
        };
    }
    require 'routes.php';
    function receiveOne(string $header, string $body): int
    {
        try {
            return (\\Illuminate\\Support\\Facades\\Route::$action)(new \\Illuminate\\Http\\Request($body, $header === '' ? null : $header));
        } catch (Refusal $refusal) {
            return $refusal->getCode();
        }
    }
    ${PHP_LOOP}
}
`,
      "routes.php": `<?php\n${first}\n${rest}`,
      "guide.php": await phpGuide()
    },
    examples: [["php", "examples.php"]],
    receivers: { "Laravel (a stand-in of it)": ["php", "laravel.php"], "the guide": ["php", "guide.php"] },
    notes: ["Laravel itself is NOT RUN: its receiver was run with a stand-in"]
  }
}

const indent = (code: string): string => code.replaceAll(/^(?=.)/gm, "    ")

const JAVA_LOOP = `    java.io.BufferedReader lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] pair = line.split("\\t", 2);
      System.out.println(receiveOne(pair[0], java.util.Base64.getDecoder().decode(pair[1])));
    }
`

const java = async (): Promise<Programs> => {
  const blocks = await readBlocks("java/README.md", "java")
  const kotlin = await readBlocks("java/KOTLIN.md", "kotlin")
  const [send, spring] = [blocks[0]!, blocks.at(-1)!]
  const guide = split(await guideBlock("java"), /^import /)
  const classes = "{sdk}/java/target/classes"
  const kotlinRest = kotlin.slice(1, -1)
  /** Started quickly: none runs for long. */
  const jvm = "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
  const program = (of: string, main: string) => [
    "sh",
    "-c",
    `exec ${jvm} -cp "out/${of}:${classes}:$(cat classpath)" ${main}`
  ]
  return {
    files: {
      "java/Send.java": send,
      "java/WebhookController.java": spring,
      "java/Rest.java": `import dev.heliograph.*;
import dev.heliograph.model.*;
import java.util.List;

class Rest {
  static final List<String> tokens = List.of(${TOKENS.map((token) => json(token)).join(", ")});

${blocks
  .slice(1, -1)
  .map((code, i) => `  static void example${i}(Heliograph client) {\n${indent(code)}  }\n`)
  .join("\n")}
  public static void main(String[] args) throws InterruptedException {
    Send.main(args);
    Heliograph client = Heliograph.create(System.getenv("HELIOGRAPH_KEY"), "https://push.example.com");
${blocks
  .slice(1, -1)
  .map((_, i) => `    example${i}(client);\n`)
  .join("")}  }
}
`,
      "java/Spring.java": `class Spring {
  static final WebhookController controller = new WebhookController();
  static int receiveOne(String header, byte[] body) {
    return controller.receive(body, header.isEmpty() ? null : header).getStatusCode().value();
  }
  public static void main(String[] args) throws Exception {
${JAVA_LOOP}  }
}
`,
      "java/Receiver.java": `${guide.first}\n${guide.rest.replace("class Receiver {", "class Receiver {\n  private final java.util.Queue<WebhookEvent> queue = new java.util.ArrayDeque<>();\n")}`,
      "java/Guide.java": `class Guide {
  static int receiveOne(String header, byte[] body) {
    return new Receiver().receive(body, header, System.getenv("WEBHOOK_SECRET"));
  }
  public static void main(String[] args) throws Exception {
${JAVA_LOOP}  }
}
`,
      "kotlin/Send.kt": kotlin[0]!,
      "kotlin/WebhookController.kt": kotlin.at(-1)!,
      "kotlin/Rest.kt": `import dev.heliograph.*
import dev.heliograph.model.*

object Rest {
    val tokens = listOf(${TOKENS.map((token) => json(token)).join(", ")})
${kotlinRest.map((code, i) => `    fun example${i}(client: Heliograph) {\n${indent(code)}    }\n`).join("")}
    @JvmStatic
    fun main(args: Array<String>) {
        main()
        val client = Heliograph.create(System.getenv("HELIOGRAPH_KEY"), "https://push.example.com")
${kotlinRest.map((_, i) => `        example${i}(client)\n`).join("")}    }
}
`,
      "kotlin/Spring.kt": `import java.util.Base64

object Spring {
    @JvmStatic
    fun main(args: Array<String>) {
        val controller = WebhookController()
        for (line in generateSequence(::readLine)) {
            val (header, body) = line.split("\\t", limit = 2)
            val answer = controller.receive(Base64.getDecoder().decode(body), header.ifEmpty { null })
            println(answer.statusCode.value())
        }
    }
}
`,
      "classpath.sh": `mvn --quiet --batch-mode --file ${join(sdk, "java/src/conformance/pom.xml")} org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath -Dmdep.outputFile="$PWD/classpath" >&2`
    },
    build: [
      ["sh", "classpath.sh"],
      [
        "sh",
        "-c",
        `javac -Werror -Xlint:all,-path,-processing -d out/java -cp "${classes}:$(cat classpath)" java/*.java`
      ],
      [
        "sh",
        "-c",
        `${jvm} -cp "$(cat classpath)" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -Werror -jvm-target 17 -cp "${classes}:$(cat classpath)" -d out/kotlin kotlin`
      ]
    ],
    examples: [program("java", "Rest"), program("kotlin", "Rest")],
    receivers: {
      Spring: program("java", "Spring"),
      "the guide": program("java", "Guide"),
      "Spring in Kotlin": program("kotlin", "Spring")
    }
  }
}

const csharp = async (): Promise<Programs> => {
  const blocks = await readBlocks("dotnet/README.md", "csharp")
  const guide = split(await guideBlock("csharp"), /^using /)
  const project = (of: string) => `<Project Sdk="Microsoft.NET.Sdk${of}">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework>
    <Nullable>enable</Nullable>
    <ImplicitUsings>enable</ImplicitUsings>
    <RollForward>Major</RollForward>
  </PropertyGroup>
  <ItemGroup><ProjectReference Include="${join(sdk, "dotnet/Heliograph/Heliograph.csproj")}" /></ItemGroup>
</Project>
`
  const { first, rest } = split(blocks.slice(0, -1).join("\n"), /^using [\w.]+;$/)
  return {
    files: {
      "examples/examples.csproj": project(""),
      "examples/Program.cs": `${first}
${rest}
async IAsyncEnumerable<string> Tokens()
{
    await Task.Yield();
    foreach (string token in new[] { ${TOKENS.map((token) => json(token)).join(", ")} }) yield return token;
}
`.replace("async IAsyncEnumerable<RegisterDevice>", "var tokens = Tokens();\nasync IAsyncEnumerable<RegisterDevice>"),
      "web/web.csproj": project(".Web"),
      "web/Program.cs": blocks.at(-1)!,
      "guide/guide.csproj": project(""),
      "guide/Program.cs": `${guide.first}
var queue = new List<WebhookEvent>();
while (Console.ReadLine() is string line)
{
    string[] pair = line.Split('\\t', 2);
    Console.WriteLine(Receive(Convert.FromBase64String(pair[1]), pair[0], Environment.GetEnvironmentVariable("WEBHOOK_SECRET")));
}
${guide.rest.replace("static int Receive", "int Receive")}`
    },
    build: ["examples", "web", "guide"].map((name) => [
      "dotnet",
      "build",
      "--nologo",
      "--verbosity",
      "quiet",
      "--configuration",
      "Release",
      name
    ]),
    examples: [["dotnet", "examples/bin/Release/net8.0/examples.dll"]],
    receivers: { "the guide": ["dotnet", "guide/bin/Release/net8.0/guide.dll"] },
    servers: { "ASP.NET": ["dotnet", "web/bin/Release/net8.0/web.dll"] }
  }
}

const LANGUAGES: Readonly<Record<string, () => Promise<Programs>>> = { node, python, go, ruby, php, java, csharp }

/** What a program says: all that a reader would see, or its answers to what it is given. */
const output = (
  [program, ...args]: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv,
  input?: string
): Promise<string> =>
  new Promise((done, fail) => {
    const child = execFile(
      program!,
      args,
      { cwd, env, maxBuffer: 1 << 26, timeout: 120_000 },
      (error, stdout, stderr) =>
        error === null
          ? done(input === undefined ? stdout + stderr : stdout)
          : fail(new Error(`${program} ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`))
    )
    child.stdin!.on("error", () => {})
    child.stdin!.end(input)
  })

export const withServer = async <A>(
  [program, ...args]: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv,
  port: number,
  use: (url: string) => Promise<A>
): Promise<A> => {
  const child = spawn(program!, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)))
  try {
    const url = `http://127.0.0.1:${port}/webhook`
    const isUp = () =>
      fetch(url).then(
        () => true,
        () => false
      )
    for (const end = performance.now() + 60_000; !(await isUp()); await sleep(50)) {
      if (child.exitCode !== null || performance.now() > end) throw new Error(`It does not listen:\n${said}`)
    }
    return await use(url)
  } finally {
    child.kill("SIGKILL")
  }
}

/** Devices for the examples to find: one of the user that is written to, and with a tag that is asked for. */
const seed = async (engine: Engine, key: string): Promise<string> => {
  const line = { token: "ef".repeat(32), platform: "ios", user_id: "user-42", tags: ["news"] }
  const response = await fetch(`${engine.url}/api/v1/devices/import`, {
    method: "POST",
    headers: { authorization: `ApiKey ${key}`, "content-type": "application/x-ndjson" },
    body: `${JSON.stringify(line)}\n`
  })
  return ((await response.json()) as { id: string }).id
}

/** Answers what is to be said of it. */
export const runReadme = async (
  language: string,
  engine: Engine,
  key: string,
  env: NodeJS.ProcessEnv
): Promise<ReadonlyArray<string>> => {
  const programs = await LANGUAGES[language]!()
  const directory = await mkdtemp(join(tmpdir(), `heliograph-readme-`))
  const port = await lastingPort()
  const said: Array<string> = []
  try {
    const place = (text: string) =>
      text
        .replaceAll("https://push.example.com", engine.url)
        .replaceAll("https://shop.example.com", engine.receiver.url)
        .replaceAll(/\b3000\b/g, String(port))
    for (const [name, text] of Object.entries(programs.files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true })
      await writeFile(join(directory, name), place(text))
    }
    if (language === "node") {
      await mkdir(join(directory, "node_modules/@heliograph"), { recursive: true })
      await symlink(join(sdk, "node"), join(directory, "node_modules/@heliograph/node"))
    }
    const all = { ...env, ...programs.env, HELIOGRAPH_KEY: key, WEBHOOK_SECRET: SECRET }
    const run = (command: ReadonlyArray<string>, input?: string) =>
      output(
        command.map((part) => part.replaceAll("{sdk}", sdk)),
        directory,
        all,
        input
      )
    for (const command of programs.build ?? []) await run(command)
    const device = await seed(engine, key)
    let printed = ""
    for (const command of programs.examples) printed += await run(command)
    // The counts of what was sent, a device of the list, one of the export, and the refusal.
    match(printed, /accepted\W+1\b/i)
    for (const text of [device, TOKENS[0]!, "validation_error"])
      ok(printed.includes(text), `no ${text} in:\n${printed}`)
    said.push("the examples of its README")
    for (const [name, command] of Object.entries(programs.receivers ?? {})) {
      const list = deliveries()
      const statuses = (await run(command, asLines(list))).trim().split("\n").map(Number)
      deepEqual(statuses, statusesOf(list), `${name}: ${statuses}`)
      said.push(`the receiver of ${name}`)
    }
    for (const [name, command] of Object.entries(programs.servers ?? {})) {
      const list = deliveries()
      const statuses = await withServer(command, directory, all, port, (url) => post(url, list))
      deepEqual(statuses, statusesOf(list), `${name}: ${statuses}`)
      said.push(`the receiver of ${name}`)
    }
    return [`${said.join(", ")}`, ...(programs.notes ?? [])]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
