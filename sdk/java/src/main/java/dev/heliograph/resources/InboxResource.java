// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code inbox}. */
public final class InboxResource {
  private final Transport transport;

  public InboxResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Write to the inboxes of users.
   */
  public InboxCreateMessagesResult createMessages(PostInbox body) {
    return createMessages(body, RequestOptions.NONE);
  }

  /**
   * Write to the inboxes of users.
   */
  public InboxCreateMessagesResult createMessages(PostInbox body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/inbox/messages").body(body).takesKey().options(options), InboxCreateMessagesResult::new);
  }
}
