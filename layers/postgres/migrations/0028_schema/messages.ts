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
  -- Since when it is no template's latest version.
  retired_at timestamptz
);
CREATE INDEX template_versions_retired ON template_versions (retired_at) WHERE retired_at IS NOT NULL;
`
