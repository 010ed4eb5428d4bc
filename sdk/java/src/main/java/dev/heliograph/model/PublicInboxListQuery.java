// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What publicInbox.list can be asked for.
 */
public final class PublicInboxListQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicInboxListQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Whose inbox: your own id of the person.
   */
  public String userId() {
    return there("user_id", text("user_id"));
  }

  /**
   * How many to return, at most. 50 unless given.
   */
  public @Nullable Long limit() {
    return integer("limit");
  }

  /**
   * `next_cursor` of the page before. Leave it out for the first page.
   */
  public @Nullable String cursor() {
    return text("cursor");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link PublicInboxListQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Whose inbox: your own id of the person.
     */
    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    /**
     * How many to return, at most. 50 unless given.
     */
    public Builder limit(long value) {
      put("limit", value);
      return this;
    }

    /**
     * `next_cursor` of the page before. Leave it out for the first page.
     */
    public Builder cursor(String value) {
      put("cursor", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public PublicInboxListQuery build() {
      return new PublicInboxListQuery(fields("user_id"));
    }
  }
}
