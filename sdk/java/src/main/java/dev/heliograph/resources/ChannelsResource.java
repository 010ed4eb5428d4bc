// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code channels}. */
public final class ChannelsResource {
  private final Transport transport;

  public ChannelsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Create a channel.
   */
  public ChannelsCreateResult create(CreateChannel body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Create a channel.
   */
  public ChannelsCreateResult create(CreateChannel body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/channels").body(body).takesKey().options(options), ChannelsCreateResult::new);
  }

  /**
   * List channels.
   */
  public Pages<Channel> list() {
    return list(ChannelsListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List channels.
   */
  public Pages<Channel> list(ChannelsListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List channels.
   */
  public Pages<Channel> list(ChannelsListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/channels").query(query).options(options), Channel::new);
  }

  /**
   * Read a channel.
   */
  public Channel get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a channel.
   */
  public Channel get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/channels/{id}", id).options(options), Channel::new);
  }

  /**
   * Unsubscribe a channel, or subscribe it again.
   */
  public Channel update(String id, UpdateChannel body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Unsubscribe a channel, or subscribe it again.
   */
  public Channel update(String id, UpdateChannel body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/channels/{id}", id).body(body).options(options), Channel::new);
  }

  /**
   * Remove a channel.
   */
  public Deleted delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Remove a channel.
   */
  public Deleted delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/channels/{id}", id).options(options), Deleted::new);
  }
}
