// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code deadLetters}. */
public final class DeadLettersResource {
  private final Transport transport;

  public DeadLettersResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * List dead letters.
   */
  public Pages<DeadLetter> list() {
    return list(DeadLettersListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List dead letters.
   */
  public Pages<DeadLetter> list(DeadLettersListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List dead letters.
   */
  public Pages<DeadLetter> list(DeadLettersListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/dead-letters").query(query).options(options), DeadLetter::new);
  }

  /**
   * Read a dead letter with its content.
   */
  public DeadLetterWithContent get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a dead letter with its content.
   */
  public DeadLetterWithContent get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/dead-letters/{id}", id).options(options), DeadLetterWithContent::new);
  }

  /**
   * Send a dead letter again.
   */
  public DeadLettersReplayResult replay(String id) {
    return replay(id, RequestOptions.NONE);
  }

  /**
   * Send a dead letter again.
   */
  public DeadLettersReplayResult replay(String id, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/dead-letters/{id}/replay", id).takesKey().options(options), DeadLettersReplayResult::new);
  }

  /**
   * Send many dead letters again.
   */
  public Replay replayMany(ReplayDeadLetters body) {
    return replayMany(body, RequestOptions.NONE);
  }

  /**
   * Send many dead letters again.
   */
  public Replay replayMany(ReplayDeadLetters body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/dead-letters/replay").body(body).takesKey().options(options), Replay::new);
  }

  /**
   * List replays.
   */
  public Pages<Replay> replays() {
    return replays(DeadLettersReplaysQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List replays.
   */
  public Pages<Replay> replays(DeadLettersReplaysQuery query) {
    return replays(query, RequestOptions.NONE);
  }

  /**
   * List replays.
   */
  public Pages<Replay> replays(DeadLettersReplaysQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/dead-letters/replays").query(query).options(options), Replay::new);
  }

  /**
   * Follow a replay.
   */
  public Replay getReplay(String id) {
    return getReplay(id, RequestOptions.NONE);
  }

  /**
   * Follow a replay.
   */
  public Replay getReplay(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/dead-letters/replays/{id}", id).options(options), Replay::new);
  }
}
