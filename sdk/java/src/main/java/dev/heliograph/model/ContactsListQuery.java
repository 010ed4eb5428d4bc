// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What contacts.list can be asked for.
 */
public final class ContactsListQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ContactsListQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String externalId() {
    return text("external_id");
  }

  public @Nullable String tag() {
    return text("tag");
  }

  /**
   * Whom this segment holds now; beside other filters, whom all of them fit.
   */
  public @Nullable String segmentId() {
    return text("segment_id");
  }

  /**
   * Those whose `external_id`, e-mail address or attribute `name` begins so, whatever the case; in the
   * order of what they are found by. Not beside other filters.
   */
  public @Nullable String search() {
    return text("search");
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

  /** Makes {@link ContactsListQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder externalId(String value) {
      put("external_id", value);
      return this;
    }

    public Builder tag(String value) {
      put("tag", value);
      return this;
    }

    /**
     * Whom this segment holds now; beside other filters, whom all of them fit.
     */
    public Builder segmentId(String value) {
      put("segment_id", value);
      return this;
    }

    /**
     * Those whose `external_id`, e-mail address or attribute `name` begins so, whatever the case; in the
     * order of what they are found by. Not beside other filters.
     */
    public Builder search(String value) {
      put("search", value);
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
    public ContactsListQuery build() {
      return new ContactsListQuery(fields());
    }
  }
}
