import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

/** Files that wait for deadlines of real processes, or for large tables. */
const LONG = /\/test\/src\/|\.restart\.test\.ts$|\/(Holder|Frozen|EmbeddedServer|Plans|SmtpProvider)\.test\.ts$/

/** Begins with the long files: without a run before, Vitest would leave those that are short texts for the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  // As node resolves it: by Vite's own condition `development`, we and graphql-yoga would have two copies of graphql.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql")) }] },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/globalSetup.ts"],
    // No test takes nearly so long; a slow machine with other work has room.
    testTimeout: 240_000,
    // What a test that passed has logged tells nobody anything.
    silent: "passed-only",
    hookTimeout: 240_000,
    // Files of one worker share its modules, as the parts of a service do: to load them for each took a third of the CPU.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Two for each of two cores, as files wait for real PostgreSQL, NATS and TLS servers: four keep them busy for 94 % of
    // a run, which takes nine tenths of what it takes with three.
    maxWorkers: 4
  }
})
