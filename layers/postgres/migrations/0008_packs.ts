/**
 * Results that are alike, as one row: docs/decisions/0023-packed-results.md. `deliveries` keeps what is not, a row for
 * each recipient; together they hold every final state once.
 */
export const sql = `
CREATE TABLE delivery_packs (
  notification_id uuid NOT NULL,
  -- The smallest and the largest id among the recipients. Packs share no recipient, so a pack is known by them.
  first_id uuid NOT NULL,
  last_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  provider "char" NOT NULL,
  status "char" NOT NULL,
  attempts smallint NOT NULL,
  -- The number of recipients: counting must not read the array.
  size integer NOT NULL,
  recipients uuid[] NOT NULL,
  -- Their message ids, written as layers/postgres/packs.ts says; null when there are none.
  messages text,
  error text,
  PRIMARY KEY (notification_id, first_id, last_id)
) PARTITION BY RANGE (notification_id);
-- Ids hardly compress, and trying costs more than writing them.
ALTER TABLE delivery_packs ALTER COLUMN recipients SET STORAGE EXTERNAL, ALTER COLUMN messages SET STORAGE EXTERNAL;
CREATE TABLE delivery_packs_other PARTITION OF delivery_packs DEFAULT;
`
