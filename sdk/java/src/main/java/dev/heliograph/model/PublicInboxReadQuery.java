// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What publicInbox.read can be asked for.
 */
public final class PublicInboxReadQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicInboxReadQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Whose inbox: your own id of the person.
   */
  public String userId() {
    return there("user_id", text("user_id"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link PublicInboxReadQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Whose inbox: your own id of the person.
     */
    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public PublicInboxReadQuery build() {
      return new PublicInboxReadQuery(fields("user_id"));
    }
  }
}
