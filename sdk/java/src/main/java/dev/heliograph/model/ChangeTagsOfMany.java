// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ChangeTagsOfMany, as the API has it.
 */
public final class ChangeTagsOfMany extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ChangeTagsOfMany(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public List<String> externalIds() {
    return there("external_ids", list("external_ids"));
  }

  public @Nullable List<String> add() {
    return list("add");
  }

  public @Nullable List<String> remove() {
    return list("remove");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link ChangeTagsOfMany}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder externalIds(List<String> value) {
      put("external_ids", value);
      return this;
    }

    public Builder add(List<String> value) {
      put("add", value);
      return this;
    }

    public Builder remove(List<String> value) {
      put("remove", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public ChangeTagsOfMany build() {
      return new ChangeTagsOfMany(fields("external_ids"));
    }
  }
}
