/** Writes devices as the engine does, from arrays that are ready. Held against the schema by test/layers/postgres/benchmarks.test.ts. */
export const UPSERT = `
  INSERT INTO devices AS d (app_id, id, token_hash, platform, environment, token, user_id, timezone, tags, metadata)
  SELECT t.app_id, t.id, t.hash, t.platform, t.environment, t.token, t.user_id, t.timezone, t.tags::text[],
    t.metadata::json
  FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[]) AS t (app_id, id, hash, platform, environment, token, user_id, timezone, tags, metadata)
  ON CONFLICT (app_id, token_hash) DO UPDATE SET last_seen_at = now(), active = true, user_id = excluded.user_id,
    timezone = excluded.timezone, tags = excluded.tags, metadata = excluded.metadata
  RETURNING id`

/** The columns of a file for COPY. */
export const COLUMNS = "app_id, id, token_hash, platform, environment, token, user_id, timezone, tags, metadata"
