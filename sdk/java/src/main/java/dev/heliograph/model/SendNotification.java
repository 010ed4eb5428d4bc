// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * SendNotification, as the API has it.
 */
public final class SendNotification extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public SendNotification(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public Audience to() {
    return there("to", object("to", Audience::new));
  }

  /**
   * One of: push, email, inbox.
   */
  public @Nullable List<String> channels() {
    return list("channels");
  }

  public @Nullable Content content() {
    return object("content", Content::new);
  }

  public @Nullable String templateId() {
    return text("template_id");
  }

  public @Nullable Map<String, ? extends @Nullable Object> variables() {
    return map("variables");
  }

  /**
   * Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a
   * minute, and the provider does not keep it.
   */
  public @Nullable Long ttl() {
    return integer("ttl");
  }

  /**
   * One of: high, bulk.
   */
  public @Nullable String priority() {
    return text("priority");
  }

  /**
   * A time with its offset, as `2026-12-24T18:00:00Z` or `2026-12-24T18:00:00.5+02:00`; with
   * `local_time`, also a day, as `2026-12-24`.
   */
  public @Nullable String sendAt() {
    return text("send_at");
  }

  public @Nullable String localTime() {
    return text("local_time");
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  /**
   * Printable ASCII without spaces. Of messages that have the same one, a device shows the one that the
   * provider took last: the newest, unless an older one had to be tried again.
   */
  public @Nullable String collapseKey() {
    return text("collapse_key");
  }

  public @Nullable Overrides overrides() {
    return object("overrides", Overrides::new);
  }

  public @Nullable Tracking track() {
    return object("track", Tracking::new);
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link SendNotification}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder to(Audience value) {
      put("to", value);
      return this;
    }

    /**
     * One of: push, email, inbox.
     */
    public Builder channels(List<String> value) {
      put("channels", value);
      return this;
    }

    public Builder content(Content value) {
      put("content", value);
      return this;
    }

    public Builder templateId(String value) {
      put("template_id", value);
      return this;
    }

    public Builder variables(Map<String, ? extends @Nullable Object> value) {
      put("variables", value);
      return this;
    }

    /**
     * Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a
     * minute, and the provider does not keep it.
     */
    public Builder ttl(long value) {
      put("ttl", value);
      return this;
    }

    /**
     * One of: high, bulk.
     */
    public Builder priority(String value) {
      put("priority", value);
      return this;
    }

    /**
     * A time with its offset, as `2026-12-24T18:00:00Z` or `2026-12-24T18:00:00.5+02:00`; with
     * `local_time`, also a day, as `2026-12-24`.
     */
    public Builder sendAt(String value) {
      put("send_at", value);
      return this;
    }

    public Builder localTime(String value) {
      put("local_time", value);
      return this;
    }

    public Builder timezone(String value) {
      put("timezone", value);
      return this;
    }

    /**
     * Printable ASCII without spaces. Of messages that have the same one, a device shows the one that the
     * provider took last: the newest, unless an older one had to be tried again.
     */
    public Builder collapseKey(String value) {
      put("collapse_key", value);
      return this;
    }

    public Builder overrides(Overrides value) {
      put("overrides", value);
      return this;
    }

    public Builder track(Tracking value) {
      put("track", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public SendNotification build() {
      return new SendNotification(fields("to"));
    }
  }
}
