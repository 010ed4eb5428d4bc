// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PostInbox, as the API has it.
 */
public final class PostInbox extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PostInbox(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public List<String> userIds() {
    return there("user_ids", list("user_ids"));
  }

  public @Nullable String title() {
    return text("title");
  }

  public @Nullable String body() {
    return text("body");
  }

  public @Nullable String url() {
    return text("url");
  }

  public @Nullable Map<String, ? extends @Nullable Object> data() {
    return map("data");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link PostInbox}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder userIds(List<String> value) {
      put("user_ids", value);
      return this;
    }

    public Builder title(String value) {
      put("title", value);
      return this;
    }

    public Builder body(String value) {
      put("body", value);
      return this;
    }

    public Builder url(String value) {
      put("url", value);
      return this;
    }

    public Builder data(Map<String, ? extends @Nullable Object> value) {
      put("data", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public PostInbox build() {
      return new PostInbox(fields("user_ids"));
    }
  }
}
