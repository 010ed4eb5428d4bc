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

/** The first half of the keys of holders' locks; the second is the holder's number. */
export const HOLDERS = 723_641_805
