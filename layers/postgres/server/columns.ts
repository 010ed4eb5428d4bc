import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/**
 * Columns of a statement that writes or looks up many rows: one typed array each, to be taken apart by `unnest`. The
 * types are named because inference fails on empty arrays and on arrays of nulls, and would read a UUID as text.
 */
const column = (oid: number) => (values: ReadonlyArray<unknown>) => Result.getOrThrow(PgTypes.array(values, oid))

export const uuids: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = column(PgTypes.OID.uuid)
export const texts: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = column(PgTypes.OID.text)
export const smallints: (values: ReadonlyArray<number>) => PgTypes.Parameter = column(PgTypes.OID.int2)
export const integers: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = column(PgTypes.OID.int4)
export const booleans: (values: ReadonlyArray<boolean>) => PgTypes.Parameter = column(PgTypes.OID.bool)
export const byteas: (values: ReadonlyArray<Uint8Array | null>) => PgTypes.Parameter = column(PgTypes.OID.bytea)
/** Epoch milliseconds. */
export const times: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = column(PgTypes.OID.timestamptz)
/** Numbers that may be fractions or large; durations in milliseconds among them. */
export const doubles: (values: ReadonlyArray<number>) => PgTypes.Parameter = column(PgTypes.OID.float8)

/** A duration in milliseconds, for `… * interval '1 ms'`. */
export const milliseconds = (value: number): PgTypes.Parameter => PgTypes.float8(value)

/** PostgreSQL has no arrays of arrays of differing lengths: an inner one travels as its text. */
export const uuidArrayText = (ids: ReadonlyArray<string>): string => `{${ids.join(",")}}`

export const textArrayText = (values: ReadonlyArray<string>): string =>
  `{${values.map((value) => `"${value.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether PostgreSQL can read the text as a UUID: anything else names no row. */
export const isUuid = (value: string): boolean => UUID.test(value)
