// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Content, as the API has it.
 */
public final class Content extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Content(Map<String, ? extends @Nullable Object> json) {
    super(json);
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

  public @Nullable String image() {
    return text("image");
  }

  public @Nullable Map<String, ? extends @Nullable Object> data() {
    return map("data");
  }

  public @Nullable String subject() {
    return text("subject");
  }

  public @Nullable String html() {
    return text("html");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link Content}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

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

    public Builder image(String value) {
      put("image", value);
      return this;
    }

    public Builder data(Map<String, ? extends @Nullable Object> value) {
      put("data", value);
      return this;
    }

    public Builder subject(String value) {
      put("subject", value);
      return this;
    }

    public Builder html(String value) {
      put("html", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public Content build() {
      return new Content(fields());
    }
  }
}
