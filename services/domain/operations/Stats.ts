import type { ProviderKind } from "../sending/Credential.ts"

/** What happened to recipients. Opened and clicked count machines as well, who are told apart beside: e-mail only. */
export interface Happenings {
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly cancelled: number
  readonly delivered: number
  readonly opened: number
  readonly clicked: number
  readonly machine_opened: number
  readonly machine_clicked: number
}

export const NOTHING: Happenings = {
  sent: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  machine_opened: 0,
  machine_clicked: 0
}

export const HAPPENINGS = Object.keys(NOTHING) as ReadonlyArray<keyof Happenings>

/** What happened on a day (UTC, `2026-11-21`) by way of a provider. */
export interface DayStats extends Happenings {
  readonly day: string
  readonly provider: ProviderKind
}

export const sum = (all: ReadonlyArray<Happenings>): Happenings => {
  const total: Record<keyof Happenings, number> = { ...NOTHING }
  for (const one of all) for (const name of HAPPENINGS) total[name] += one[name]
  return total
}
