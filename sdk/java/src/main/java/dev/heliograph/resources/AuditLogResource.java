// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code auditLog}. */
public final class AuditLogResource {
  private final Transport transport;

  public AuditLogResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * List who changed what.
   */
  public Pages<AuditEntry> list() {
    return list(AuditLogListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List who changed what.
   */
  public Pages<AuditEntry> list(AuditLogListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List who changed what.
   */
  public Pages<AuditEntry> list(AuditLogListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/audit-log").query(query).options(options), AuditEntry::new);
  }
}
