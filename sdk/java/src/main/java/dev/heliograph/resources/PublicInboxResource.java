// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code publicInbox}. */
public final class PublicInboxResource {
  private final Transport transport;

  public PublicInboxResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * List the messages of a user's inbox.
   */
  public Pages<InboxMessage> list(PublicInboxListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List the messages of a user's inbox.
   */
  public Pages<InboxMessage> list(PublicInboxListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/public/inbox").query(query).options(options), InboxMessage::new);
  }

  /**
   * Count a user's unread messages.
   */
  public PublicInboxUnreadCountResult unreadCount(PublicInboxUnreadCountQuery query) {
    return unreadCount(query, RequestOptions.NONE);
  }

  /**
   * Count a user's unread messages.
   */
  public PublicInboxUnreadCountResult unreadCount(PublicInboxUnreadCountQuery query, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/public/inbox/unread_count").query(query).options(options), PublicInboxUnreadCountResult::new);
  }

  /**
   * Mark one message as read.
   */
  public InboxMessage read(String id, PublicInboxReadQuery query) {
    return read(id, query, RequestOptions.NONE);
  }

  /**
   * Mark one message as read.
   */
  public InboxMessage read(String id, PublicInboxReadQuery query, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/public/inbox/{id}/read", id).query(query).options(options), InboxMessage::new);
  }

  /**
   * Mark all of a user's messages as read.
   */
  public PublicInboxReadAllResult readAll(PublicInboxReadAllQuery query) {
    return readAll(query, RequestOptions.NONE);
  }

  /**
   * Mark all of a user's messages as read.
   */
  public PublicInboxReadAllResult readAll(PublicInboxReadAllQuery query, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/public/inbox/read_all").query(query).options(options), PublicInboxReadAllResult::new);
  }
}
