/**
 * People: accounts, how they sign in, the organizations that they belong to and their roles there, mail that the service
 * sends of its own, and who changed what beside the logs of applications.
 */
export const people = `
ALTER TABLE organizations
  ADD COLUMN plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free')),
  -- Financial records are kept: such an organization is not deleted with the account of its last owner.
  ADD COLUMN has_payments boolean NOT NULL DEFAULT false,
  -- Applications that are made at the command line belong to it: never to the organization of people who signed up.
  ADD COLUMN of_operators boolean NOT NULL DEFAULT false,
  -- From then on it is nobody's, and what its applications hold is removed in the background.
  ADD COLUMN deleted_at timestamptz;
UPDATE organizations SET of_operators = true;
CREATE INDEX organizations_deleted ON organizations (id) WHERE deleted_at IS NOT NULL;

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  -- As services/domain/people/AccountAddress.ts writes it. Mail goes to this text, never to one that was sent.
  email text COLLATE "C" NOT NULL UNIQUE CHECK (octet_length(email) BETWEEN 3 AND 254),
  name text NOT NULL DEFAULT '',
  -- Sessions of another epoch have ended.
  epoch integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_signed_in_at timestamptz,
  disabled_at timestamptz
);

-- One for each address and purpose: a new code takes the place of the one before. Addresses without an account have the
-- same row.
CREATE TABLE login_codes (
  email text COLLATE "C" NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'delete_account', 'link')),
  -- HMAC of purpose, address and code under a key that follows from the master key.
  code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  attempts smallint NOT NULL DEFAULT 0,
  -- An operator asked for it: it makes an account also where registration is by invitation.
  of_operator boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (email, purpose)
) WITH (fillfactor = 70);
CREATE INDEX login_codes_age ON login_codes (expires_at);

-- The address that an account wants instead of its own, one at a time. Two codes prove it, tried together: what is counted
-- is the pair.
CREATE TABLE address_changes (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  email text COLLATE "C" NOT NULL CHECK (octet_length(email) BETWEEN 3 AND 254),
  -- Of the code that was sent to the present address, and of the one to the new.
  old_code_hash bytea NOT NULL CHECK (octet_length(old_code_hash) = 32),
  new_code_hash bytea NOT NULL CHECK (octet_length(new_code_hash) = 32),
  attempts smallint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX address_changes_age ON address_changes (expires_at);

-- When codes were asked for, and when wrong ones were given, in the last day, oldest first. Keys are HMACs of addresses:
-- the table names nobody.
CREATE TABLE sign_in_attempts (
  key text COLLATE "C" PRIMARY KEY,
  times timestamptz[] NOT NULL,
  last_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX sign_in_attempts_age ON sign_in_attempts (last_at);

-- The id is the token's jti. A session that is not here has ended.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  epoch integer NOT NULL,
  user_agent text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- To the minute.
  last_used_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);
CREATE INDEX sessions_account ON sessions (account_id, id);
CREATE INDEX sessions_age ON sessions (expires_at);

CREATE TABLE members (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  joined_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, account_id)
);
CREATE INDEX members_account ON members (account_id);

-- Whoever ends sessions, or changes what somebody may do, says so to all nodes, in the same transaction: with the accounts,
-- as many as a notice takes. New sessions and new members are no news: nobody has to be stopped.
CREATE FUNCTION tell_sessions() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_notify('heliograph', 'sessions:' || string_agg(account_id::text, ','))
  FROM (
    SELECT account_id, row_number() OVER () / 200 AS part FROM (SELECT DISTINCT account_id FROM before) AS accounts
  ) AS parts
  GROUP BY part;
  RETURN NULL;
END $body$;
CREATE TRIGGER sessions_ended AFTER DELETE ON sessions
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions();
CREATE TRIGGER members_removed AFTER DELETE ON members
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions();
CREATE TRIGGER members_changed AFTER UPDATE ON members
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions();

CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  email text COLLATE "C" NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  -- SHA-256 of the token, which is in the mail and nowhere else.
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  invited_by uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- One invitation of an address to an organization at a time: a new one takes the place of the one before.
  UNIQUE (organization_id, email)
);
CREATE INDEX invitations_email ON invitations (email);
CREATE INDEX invitations_inviter ON invitations (invited_by);
CREATE INDEX invitations_age ON invitations (expires_at);

-- Accounts with other services, by which one signs in too. An account of theirs is known by its id, never by an address.
CREATE TABLE external_sign_ins (
  provider text NOT NULL CHECK (provider IN ('google', 'github')),
  subject text COLLATE "C" NOT NULL,
  id uuid NOT NULL UNIQUE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  email text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  PRIMARY KEY (provider, subject)
);
CREATE INDEX external_sign_ins_account ON external_sign_ins (account_id, id);

-- Redirects to such a service that are under way: taken out once, by the browser that began them.
CREATE TABLE oauth_states (
  state_hash bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
  provider text NOT NULL CHECK (provider IN ('google', 'github')),
  -- Sealed with the master key: the PKCE verifier and the nonce.
  sealed bytea NOT NULL,
  mode text NOT NULL CHECK (mode IN ('sign_in', 'link')),
  -- The session that links.
  session_id uuid REFERENCES sessions ON DELETE CASCADE,
  return_to text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_states_age ON oauth_states (expires_at);
CREATE INDEX oauth_states_session ON oauth_states (session_id) WHERE session_id IS NOT NULL;

-- Who somebody is with such a service, until a code has proved the address. The browser has the token.
CREATE TABLE pending_sign_ins (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  provider text NOT NULL CHECK (provider IN ('google', 'github')),
  subject text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX pending_sign_ins_email ON pending_sign_ins (email);
CREATE INDEX pending_sign_ins_age ON pending_sign_ins (expires_at);

-- Mail of the service that is still to be sent. What it says is sealed: a code or an invitation opens an account.
CREATE TABLE service_mails (
  id uuid PRIMARY KEY,
  email text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  -- Codes go before everything else: somebody waits for each.
  is_code boolean NOT NULL,
  -- Whose mails take turns with those of others; null where nobody sends many.
  sender text COLLATE "C",
  attempts smallint NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- The process that has it in hand: a few mails at any time.
  lease_holder integer
);
CREATE INDEX service_mails_holder ON service_mails (lease_holder) WHERE lease_holder IS NOT NULL;
CREATE INDEX service_mails_due ON service_mails (is_code, due_at);
CREATE INDEX service_mails_sender ON service_mails (sender) WHERE sender IS NOT NULL;
CREATE INDEX service_mails_age ON service_mails (expires_at);
CREATE INDEX service_mails_email ON service_mails (email);

-- Who changed what about people and organizations. It names accounts by their ids alone, so that nothing but those is
-- left of an account that was deleted, and has no foreign keys: it outlives what it tells of.
CREATE TABLE people_log (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  -- Null for what concerns an account alone.
  organization_id uuid,
  -- The account that it is about, if any.
  account_id uuid,
  actor_kind text NOT NULL,
  actor_id text,
  action text NOT NULL,
  target text,
  details json NOT NULL
);
CREATE INDEX people_log_page ON people_log (organization_id, id);
CREATE INDEX people_log_account ON people_log (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX people_log_actor ON people_log (organization_id, actor_id, id);
CREATE INDEX people_log_action ON people_log (organization_id, action, id);
CREATE INDEX people_log_target ON people_log (organization_id, target, id);
-- What a person did, wherever that was.
CREATE INDEX people_log_person ON people_log (actor_id, id) WHERE actor_kind = 'user';
CREATE INDEX audit_log_person ON audit_log (actor_id, id) WHERE actor_kind = 'user';

-- For the removal of an application: what it has beside these, an index leads to already.
CREATE INDEX api_keys_application ON api_keys (app_id);
CREATE INDEX template_versions_application ON template_versions (app_id);

-- The log of an application is asked in the same ways.
CREATE INDEX audit_log_actor ON audit_log (app_id, actor_id, id);
CREATE INDEX audit_log_action ON audit_log (app_id, action, id);
CREATE INDEX audit_log_target ON audit_log (app_id, target, id);
`
