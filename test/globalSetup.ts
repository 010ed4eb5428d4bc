import { Effect, Exit, Scope } from "effect"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { embeddedServer } from "../layers/postgres/server/EmbeddedServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresUrl: string
  }
}

/**
 * One PostgreSQL server per clone and user, under the system's temporary directory: runs at the same time share it, the
 * last one stops it, and what a killed run left behind is adopted by the next. It skips fsync: no test cuts the power. The
 * nodes of the tests serve the browsers' SDK, which is built when its sources have changed.
 */
export default async function (project: TestProject): Promise<() => Promise<void>> {
  await import("../sdk/browser/build.ts")
  const clone = createHash("sha256")
    .update(import.meta.dirname)
    .digest("hex")
    .slice(0, 12)
  const dataDir = join(tmpdir(), `heliograph-test-${process.getuid?.() ?? 0}-${clone}`)
  const scope = Effect.runSync(Scope.make())
  const { url } = await Effect.runPromise(Scope.provide(embeddedServer(dataDir, { durable: false }), scope))
  // By TCP: tests put cuts and delays between themselves and the server.
  project.provide("postgresUrl", url.replace(/\?.*/, ""))
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
