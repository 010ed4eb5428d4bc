// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code segments}. */
public final class SegmentsResource {
  private final Transport transport;

  public SegmentsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Create a segment.
   */
  public Segment create(CreateSegment body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Create a segment.
   */
  public Segment create(CreateSegment body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/segments").body(body).takesKey().options(options), Segment::new);
  }

  /**
   * List segments.
   */
  public Pages<Segment> list() {
    return list(SegmentsListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List segments.
   */
  public Pages<Segment> list(SegmentsListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List segments.
   */
  public Pages<Segment> list(SegmentsListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/segments").query(query).options(options), Segment::new);
  }

  /**
   * Count whom conditions fit now.
   */
  public SegmentCount countMany(CountSegment body) {
    return countMany(body, RequestOptions.NONE);
  }

  /**
   * Count whom conditions fit now.
   */
  public SegmentCount countMany(CountSegment body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/segments/count").body(body).takesKey().options(options), SegmentCount::new);
  }

  /**
   * Read a segment.
   */
  public Segment get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a segment.
   */
  public Segment get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/segments/{id}", id).options(options), Segment::new);
  }

  /**
   * Change a segment.
   */
  public Segment update(String id, UpdateSegment body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Change a segment.
   */
  public Segment update(String id, UpdateSegment body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/segments/{id}", id).body(body).options(options), Segment::new);
  }

  /**
   * Remove a segment.
   */
  public Deleted delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Remove a segment.
   */
  public Deleted delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/segments/{id}", id).options(options), Deleted::new);
  }

  /**
   * Count who is in a segment now.
   */
  public SegmentCount count(String id) {
    return count(id, RequestOptions.NONE);
  }

  /**
   * Count who is in a segment now.
   */
  public SegmentCount count(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/segments/{id}/count", id).options(options), SegmentCount::new);
  }
}
