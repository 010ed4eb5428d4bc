// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code events}. */
public final class EventsResource {
  private final Transport transport;

  public EventsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Report that a push was delivered, opened or clicked.
   */
  public EventsCreateResult create(ReportEngagement body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Report that a push was delivered, opened or clicked.
   */
  public EventsCreateResult create(ReportEngagement body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/events").body(body).options(options), EventsCreateResult::new);
  }

  /**
   * Raise an event of your own.
   */
  public RaisedEvent custom(RaiseEvent body) {
    return custom(body, RequestOptions.NONE);
  }

  /**
   * Raise an event of your own.
   */
  public RaisedEvent custom(RaiseEvent body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/events/custom").body(body).takesKey().options(options), RaisedEvent::new);
  }
}
