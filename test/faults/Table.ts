import type { Scenario } from "./Scenario.ts"
import { crashes } from "./scenarios/Crashes.ts"
import { database } from "./scenarios/Database.ts"
import { disks } from "./scenarios/Disks.ts"
import { gates } from "./scenarios/Gates.ts"
import { partitions } from "./scenarios/Partitions.ts"
import { points } from "./scenarios/Points.ts"
import { queue } from "./scenarios/Queue.ts"
import { redeliver } from "./scenarios/Redeliver.ts"
import { singles } from "./scenarios/Singles.ts"
import { surroundings } from "./scenarios/Surroundings.ts"
import { workflows } from "./scenarios/Workflows.ts"
import { writes } from "./scenarios/Writes.ts"

/** Everything that `npm run test:faults` does, in its order. */
export const SCENARIOS: ReadonlyArray<Scenario> = [
  ...crashes,
  ...singles,
  ...points,
  ...queue,
  ...database,
  ...writes,
  ...redeliver,
  ...workflows,
  ...gates,
  ...partitions,
  ...surroundings,
  ...disks
]
