/**
 * Runs of a workflow that have ended stand by how they ended, all of them, beside those that are under way: a page of either
 * is read without the other, and a run that enters is written to an index less.
 */
export const endedRuns = `
DROP INDEX executions_workflow;
DROP INDEX executions_ended_of_workflow;
CREATE INDEX executions_ended_of_workflow ON executions (workflow_id, status, id) WHERE status <> 'waiting';
`
