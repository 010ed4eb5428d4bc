// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RetriesData, as the API has it.
 */
public final class RetriesData extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RetriesData(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: apns, fcm, webpush, smtp, inbox.
   */
  public String provider() {
    return there("provider", text("provider"));
  }

  /**
   * What the provider said of the first of them, as `503 ServiceUnavailable`; of a suspended credential,
   * why it is.
   */
  public @Nullable String error() {
    return text("error");
  }

  /**
   * How often they were tried, the most of any of them; 0 also after a try that is not counted. Not
   * counted is a try that says nothing about the message: where the provider refuses the credential, or
   * asks to wait (429; a mail server's 421, 454, 450 and 451 with 4.7, as of greylisting, and any 4xx
   * before it is offered a mail).
   */
  public long attempts() {
    return there("attempts", integer("attempts"));
  }

  public long recipients() {
    return there("recipients", integer("recipients"));
  }

  /**
   * When the next of them is tried. Null: once the credential is accepted again, or another one is set.
   */
  public @Nullable String nextAt() {
    return text("next_at");
  }
}
