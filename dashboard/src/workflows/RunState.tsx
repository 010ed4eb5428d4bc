import { Chip } from "../parts/page.tsx"
import type { Run } from "./words.ts"
import { REASON, RUN } from "./words.ts"

/** What a run is at, and why it ended so. */
export const RunState = ({ run }: { readonly run: Pick<Run, "status" | "error"> & Partial<Pick<Run, "reason">> }) => (
  <>
    <Chip tone={RUN[run.status][1]}>{RUN[run.status][0]}</Chip>
    {run.error !== null && <span className="muted small block">{run.error}</span>}
    {run.reason && <span className="muted small block">{REASON[run.reason]}</span>}
  </>
)
