// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code workflows}. */
public final class WorkflowsResource {
  private final Transport transport;

  public WorkflowsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Create a workflow.
   */
  public SavedWorkflow create(CreateWorkflow body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Create a workflow.
   */
  public SavedWorkflow create(CreateWorkflow body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/workflows").body(body).takesKey().options(options), SavedWorkflow::new);
  }

  /**
   * List workflows.
   */
  public Pages<Workflow> list() {
    return list(WorkflowsListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List workflows.
   */
  public Pages<Workflow> list(WorkflowsListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List workflows.
   */
  public Pages<Workflow> list(WorkflowsListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/workflows").query(query).options(options), Workflow::new);
  }

  /**
   * Read a workflow.
   */
  public Workflow get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a workflow.
   */
  public Workflow get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/workflows/{id}", id).options(options), Workflow::new);
  }

  /**
   * Change a workflow.
   */
  public SavedWorkflow update(String id, UpdateWorkflow body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Change a workflow.
   */
  public SavedWorkflow update(String id, UpdateWorkflow body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/workflows/{id}", id).body(body).options(options), SavedWorkflow::new);
  }

  /**
   * Remove a workflow.
   */
  public Deleted delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Remove a workflow.
   */
  public Deleted delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/workflows/{id}", id).options(options), Deleted::new);
  }

  /**
   * Count runs by step.
   */
  public WorkflowStatistics statistics(String id) {
    return statistics(id, RequestOptions.NONE);
  }

  /**
   * Count runs by step.
   */
  public WorkflowStatistics statistics(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/workflows/{id}/statistics", id).options(options), WorkflowStatistics::new);
  }

  /**
   * List the versions of a workflow.
   */
  public Pages<WorkflowVersionSummary> versions(String id) {
    return versions(id, WorkflowsVersionsQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List the versions of a workflow.
   */
  public Pages<WorkflowVersionSummary> versions(String id, WorkflowsVersionsQuery query) {
    return versions(id, query, RequestOptions.NONE);
  }

  /**
   * List the versions of a workflow.
   */
  public Pages<WorkflowVersionSummary> versions(String id, WorkflowsVersionsQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/workflows/{id}/versions", id).query(query).options(options), WorkflowVersionSummary::new);
  }

  /**
   * Read a version of a workflow.
   */
  public WorkflowVersion version(String id) {
    return version(id, WorkflowsVersionQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * Read a version of a workflow.
   */
  public WorkflowVersion version(String id, WorkflowsVersionQuery query) {
    return version(id, query, RequestOptions.NONE);
  }

  /**
   * Read a version of a workflow.
   */
  public WorkflowVersion version(String id, WorkflowsVersionQuery query, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/workflows/{id}/version", id).query(query).options(options), WorkflowVersion::new);
  }

  /**
   * Activate a workflow.
   */
  public SavedWorkflow activate(String id) {
    return activate(id, RequestOptions.NONE);
  }

  /**
   * Activate a workflow.
   */
  public SavedWorkflow activate(String id, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/workflows/{id}/activate", id).takesKey().options(options), SavedWorkflow::new);
  }

  /**
   * Archive a workflow.
   */
  public Workflow archive(String id) {
    return archive(id, RequestOptions.NONE);
  }

  /**
   * Archive a workflow.
   */
  public Workflow archive(String id, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/workflows/{id}/archive", id).takesKey().options(options), Workflow::new);
  }

  /**
   * Let people enter a workflow.
   */
  public TriggeredWorkflow trigger(String id, TriggerWorkflow body) {
    return trigger(id, body, RequestOptions.NONE);
  }

  /**
   * Let people enter a workflow.
   */
  public TriggeredWorkflow trigger(String id, TriggerWorkflow body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/workflows/{id}/trigger", id).body(body).takesKey().options(options), TriggeredWorkflow::new);
  }

  /**
   * Try a workflow without sending.
   */
  public WorkflowDryRun dryRun(String id, RehearseWorkflow body) {
    return dryRun(id, body, RequestOptions.NONE);
  }

  /**
   * Try a workflow without sending.
   */
  public WorkflowDryRun dryRun(String id, RehearseWorkflow body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/workflows/{id}/dry-run", id).body(body).takesKey().options(options), WorkflowDryRun::new);
  }
}
