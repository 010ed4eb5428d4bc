import { defineConfig } from "vite"

/** Styles are one file, and scripts no text inside the page: the policy of its answer allows files of this origin alone. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  build: {
    target: "baseline-widely-available",
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: true
  }
})
