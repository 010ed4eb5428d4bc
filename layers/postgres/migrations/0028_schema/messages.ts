/**
 * Templates. A template's sources are in its versions, which never change. A notification that fills its template for
 * each recipient names the version, and keeps it: an edit, or the end of the template, changes nothing that was accepted.
 */
export const messages = `
CREATE TABLE templates (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  name text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  version_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX templates_app ON templates (app_id, id);

CREATE TABLE template_versions (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  body json NOT NULL,
  -- Of which template it is, the how manieth, what that was called, and who made it; null for what a workflow's step says.
  template_id uuid,
  version integer,
  name text,
  actor_kind text,
  actor_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Since when no template shows it among its versions, and no workflow says it.
  retired_at timestamptz
);
CREATE UNIQUE INDEX template_versions_template ON template_versions (template_id, version) WHERE template_id IS NOT NULL;
CREATE INDEX template_versions_retired ON template_versions (retired_at) WHERE retired_at IS NOT NULL;
`
