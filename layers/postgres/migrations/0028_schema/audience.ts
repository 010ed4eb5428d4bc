/**
 * Who can be reached: devices, contacts and their channels, saved audiences, and who was erased. Devices are written by
 * the million: they have no foreign keys and few indexes, each of which costs a tenth of the row. Their application is
 * checked before they are written.
 */
export const audience = `
-- An e-mail address is its channel's: email_key says which channel, and the address is read there, so that the two
-- cannot differ.
CREATE TABLE contacts (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  -- The application's own id of the person; devices have it as user_id.
  external_id text NOT NULL,
  email_key text,
  -- json keeps any JSON text as it came; jsonb would refuse some (\\u0000) and cost a conversion each way.
  attributes json NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  locale text,
  timezone text,
  -- What the person does not want.
  no_push boolean NOT NULL DEFAULT false,
  no_email boolean NOT NULL DEFAULT false,
  no_inbox boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (app_id, external_id)
);
CREATE INDEX contacts_page ON contacts (app_id, id);
CREATE INDEX contacts_tags ON contacts USING gin (tags) WHERE tags <> '{}';
CREATE INDEX contacts_attributes ON contacts USING gin ((attributes::jsonb) jsonb_path_ops);
-- By how their id, address or name begins, whatever the case: what searchContacts.ts reads, in its order. With the
-- application in the same text, so that no other statement is planned with them. An index takes no long texts.
CREATE INDEX contacts_search_id ON contacts ((app_id::text || lower(external_id)) text_pattern_ops, id);
CREATE INDEX contacts_search_email ON contacts ((app_id::text || email_key) text_pattern_ops, id)
  WHERE email_key IS NOT NULL;
CREATE INDEX contacts_search_name
  ON contacts ((app_id::text || lower(left(attributes ->> 'name', 100))) text_pattern_ops, id)
  WHERE attributes ->> 'name' IS NOT NULL;
CREATE INDEX contacts_no_push ON contacts (app_id, external_id) WHERE no_push;

CREATE TABLE channels (
  app_id uuid NOT NULL,
  id uuid NOT NULL,
  contact_id uuid REFERENCES contacts ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('email', 'inbox')),
  address text,
  -- What makes an address the same address: see audience/addresses.ts.
  address_key text,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suppressed', 'unsubscribed')),
  status_reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_id, id),
  UNIQUE (app_id, kind, address_key)
);
CREATE INDEX channels_contact ON channels (contact_id) WHERE contact_id IS NOT NULL;

CREATE TABLE devices (
  app_id uuid NOT NULL,
  id uuid NOT NULL,
  -- The first 16 bytes of the token's SHA-256: tokens are long, and an index on them would be larger than the table.
  token_hash bytea NOT NULL,
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  platform text NOT NULL CHECK (platform IN ('ios', 'android', 'web')),
  environment text NOT NULL DEFAULT 'production' CHECK (environment IN ('production', 'sandbox')),
  active boolean NOT NULL DEFAULT true,
  invalid_reason text,
  -- Tokens of iOS are hexadecimal and kept in lower case; for browsers this is the subscription's endpoint.
  token text NOT NULL,
  p256dh text,
  auth text,
  user_id text,
  timezone text,
  tags text[] NOT NULL DEFAULT '{}',
  metadata json NOT NULL DEFAULT '{}',
  PRIMARY KEY (app_id, id),
  UNIQUE (app_id, token_hash)
) WITH (fillfactor = 90);
CREATE INDEX devices_user ON devices (app_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX devices_tags ON devices USING gin (tags) WHERE tags <> '{}';

-- A saved audience: its conditions.
CREATE TABLE segments (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  name text NOT NULL,
  filter json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX segments_app ON segments (app_id, id);

-- Who was erased, and when, for notifications that were accepted before and are planned later: they do not make the
-- person anew (docs/decisions/0062). person is the SHA-256 of the application's id and the external id, or one of the
-- person's e-mail addresses, none of which is kept.
CREATE TABLE erased_people (
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  person bytea NOT NULL CHECK (octet_length(person) = 32),
  erased_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, person)
);
`
