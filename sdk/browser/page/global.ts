import { createClient, HeliographError } from "./client.ts"

/** The classic script: `Heliograph.createClient(…)`. */
Object.assign(globalThis, { Heliograph: { createClient, HeliographError } })
