import type { Chore } from "../../../services/ports/operations/LeaseHolder.ts"

/*
 * The keys of PostgreSQL's advisory locks, in one place because two uses of one key would wait for each other. The high
 * digits keep them apart from other programs' on a shared database.
 */

/** Held while migrations run: one node at a time. */
export const MIGRATING = 7_236_418_001

/** Held while partitions are made for coming days. */
export const PARTITIONS = 7_236_418_002

/** Held while what is past its retention is removed: by a session, for the whole sweep. */
export const RETENTION = 7_236_418_004

/** Held while an application is looked for by its name and made when there is none. */
export const NAMED_APPLICATION = 7_236_418_005

/**
 * The first half of the keys under which runs of an application are moved, by any number at once; who ends the application
 * has it alone. The second half is the hash of its id.
 */
export const MOVING_RUNS = 723_641_804

/**
 * The first half of the keys under which people enter a workflow, by any number at once; who changes or ends the workflow
 * has it alone. The second half is the hash of its id.
 */
export const ENTERING = 723_641_812

/** The first half of the keys of holders' locks; the second is the holder's number. */
export const HOLDERS = 723_641_805

/** The first halves of the keys of turns at a chore; the second is the span of time. */
export const TURNS: Readonly<Record<Chore, number>> = {
  release: 723_641_806,
  sweep: 723_641_807,
  sweep_dispatch: 723_641_808,
  sweep_webhooks: 723_641_809,
  replays: 723_641_810,
  redeliveries: 723_641_811
}
