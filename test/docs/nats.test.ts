import { connect } from "@nats-io/transport-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tmpdir } from "node:os"
import { parse } from "yaml"
import { makeNatsServerAt } from "../NatsServer.ts"
import { lastingPort } from "../Ports.ts"
import { folder } from "../src/cli/Command.ts"

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

it.live(
  "a NATS server of docker-compose.yml says that it is healthy, and lets in nobody without the password",
  () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const monitoring = yield* lastingPort
      // Its own ports and directory are another container's; the flags of the test server say which.
      const config = text("deploy/nats.conf")
        .replace("127.0.0.1:8222", `127.0.0.1:${monitoring}`)
        .replace(/ *store_dir.*\n/, "")
        .replace(/cluster \{[^}]*\}/, "")
      const file = join(directory, "nats.conf")
      writeFileSync(file, config)
      const { services } = parse(text("docker-compose.yml"), { merge: true }) as {
        readonly services: Readonly<
          Record<string, { readonly command: string; readonly healthcheck: { test: Array<string> } }>
        >
      }
      const { command, healthcheck } = services["nats1"]!
      const user = /--user (\S+)/.exec(command)![1]!
      const server = yield* makeNatsServerAt(tmpdir(), ["-c", file, "--user", user, "--pass", "right"])
      const refusal = yield* Effect.promise(() =>
        connect({ servers: server.url }).then(String, (error: Error) => error.name)
      )
      expect(refusal).toBe("AuthorizationError")
      const connection = yield* Effect.promise(() => connect({ servers: server.url, user, pass: "right" }))
      yield* Effect.promise(() => connection.close())
      const health = healthcheck.test.at(-1)!.replace(":8222", `:${monitoring}`)
      expect((yield* Effect.promise(() => fetch(health))).status).toBe(200)
    }).pipe(Effect.scoped),
  240_000
)
