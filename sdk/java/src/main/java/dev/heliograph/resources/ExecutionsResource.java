// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code executions}. */
public final class ExecutionsResource {
  private final Transport transport;

  public ExecutionsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * List executions.
   */
  public Pages<Execution> list() {
    return list(ExecutionsListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List executions.
   */
  public Pages<Execution> list(ExecutionsListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List executions.
   */
  public Pages<Execution> list(ExecutionsListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/executions").query(query).options(options), Execution::new);
  }

  /**
   * Read an execution with its history.
   */
  public ExecutionWithHistory get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read an execution with its history.
   */
  public ExecutionWithHistory get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/executions/{id}", id).options(options), ExecutionWithHistory::new);
  }

  /**
   * Cancel many executions.
   */
  public CancelledExecutions cancelMany(CancelExecutions body) {
    return cancelMany(body, RequestOptions.NONE);
  }

  /**
   * Cancel many executions.
   */
  public CancelledExecutions cancelMany(CancelExecutions body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/executions/cancel").body(body).takesKey().options(options), CancelledExecutions::new);
  }

  /**
   * Cancel an execution.
   */
  public Execution cancel(String id) {
    return cancel(id, RequestOptions.NONE);
  }

  /**
   * Cancel an execution.
   */
  public Execution cancel(String id, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/executions/{id}/cancel", id).takesKey().options(options), Execution::new);
  }
}
