// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * BulkContacts, as the API has it.
 */
public final class BulkContacts extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public BulkContacts(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Each as POST /contacts takes it.
   */
  public List<Map<String, ? extends @Nullable Object>> contacts() {
    return there("contacts", list("contacts"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link BulkContacts}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Each as POST /contacts takes it.
     */
    public Builder contacts(List<Map<String, ? extends @Nullable Object>> value) {
      put("contacts", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public BulkContacts build() {
      return new BulkContacts(fields("contacts"));
    }
  }
}
