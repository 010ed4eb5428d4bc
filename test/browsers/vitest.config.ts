import { defineConfig, mergeConfig } from "vitest/config"
import base from "../../vitest.config.ts"

/** One file at a time: two browsers at once would have no processor left for the service. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: ["test/browsers/**/*.browser.ts"],
      maxWorkers: 1,
      testTimeout: 600_000,
      hookTimeout: 600_000,
      // As long as a step in a browser may take.
      expect: { poll: { timeout: 30_000 } }
    }
  })
)
