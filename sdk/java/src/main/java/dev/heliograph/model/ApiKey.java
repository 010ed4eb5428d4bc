// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ApiKey, as the API has it.
 */
public final class ApiKey extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ApiKey(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * `secret`: full access to the application, for servers. `public`: the public endpoints, for apps.
   * One of: secret, public.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  public String name() {
    return there("name", text("name"));
  }

  /**
   * The key's first characters, to tell keys apart.
   */
  public String prefix() {
    return there("prefix", text("prefix"));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  /**
   * To the minute; null before the first use.
   */
  public @Nullable String lastUsedAt() {
    return text("last_used_at");
  }
}
