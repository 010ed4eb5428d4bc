/**
 * What customers save to send with: templates and audiences.
 *
 * - A template's sources are in its versions, which never change. A notification that fills its template for each
 *   recipient names the version, and keeps it: an edit, or the end of the template, changes nothing that was accepted.
 * - A segment is its conditions. Attributes are found by an index of theirs; they are kept as the text that came.
 * - `last_engaged` has the latest report of each kind for each recipient: segments ask for it one recipient at a time,
 *   and it outlives the days of results.
 */
export const sql = `
CREATE TABLE template_versions (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  body json NOT NULL,
  -- Since when it is no template's latest version.
  retired_at timestamptz
);
CREATE INDEX template_versions_retired ON template_versions (retired_at) WHERE retired_at IS NOT NULL;

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

ALTER TABLE notifications ADD COLUMN template_version uuid;
CREATE INDEX notifications_template ON notifications (template_version) WHERE template_version IS NOT NULL;

CREATE TABLE segments (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  name text NOT NULL,
  filter json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX segments_app ON segments (app_id, id);

CREATE INDEX contacts_attributes ON contacts USING gin ((attributes::jsonb) jsonb_path_ops);

CREATE TABLE last_engaged (
  app_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  delivered_at timestamptz,
  opened_at timestamptz,
  clicked_at timestamptz,
  PRIMARY KEY (app_id, recipient_id)
) WITH (fillfactor = 80);
`
