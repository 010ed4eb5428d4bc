import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/globalSetup.ts"],
    testTimeout: 60_000,
    // What a test that passed has logged tells nobody anything.
    silent: "passed-only",
    hookTimeout: 120_000,
    // Real PostgreSQL, NATS and TLS servers run beside the tests: more workers than cores only adds noise.
    maxWorkers: 2
  }
})
