package dev.heliograph;

import dev.heliograph.internal.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Whether deliveries are genuine, and their events. */
public final class Webhooks {
  private final List<String> secrets;
  private final Duration tolerance;
  private final Clock clock;

  /** With a webhook's secret, or with several, one of which has to fit; those that are null or empty do not count. */
  public Webhooks(@Nullable String... secrets) {
    this(Arrays.asList(secrets), Duration.ofMinutes(5), Clock.systemUTC());
  }

  /** With how far the signature's time may differ from the clock, either way. */
  public Webhooks(List<? extends @Nullable String> secrets, Duration tolerance, Clock clock) {
    List<String> usable = new ArrayList<>();
    for (String secret : secrets) {
      // An empty key would accept what anybody can sign.
      if (secret != null && !secret.isEmpty()) usable.add(secret);
    }
    this.secrets = usable;
    this.tolerance = tolerance;
    this.clock = clock;
  }

  /**
   * @param rawBody as it came, before anything parsed it
   * @param header the value of X-Service-Signature
   */
  public boolean verify(byte[] rawBody, @Nullable String header) {
    String t = null;
    List<byte[]> signatures = new ArrayList<>();
    for (String part : (header == null ? "" : header).split(",")) {
      String[] pair = part.strip().split("=", 2);
      if (pair.length < 2) continue;
      if (pair[0].equals("t") && t == null) t = pair[1];
      if (pair[0].equals("v1")) signatures.add(pair[1].getBytes(StandardCharsets.UTF_8));
    }
    if (t == null || !t.matches("[0-9]{1,12}")) return false;
    if (Math.abs(clock.instant().getEpochSecond() - Long.parseLong(t)) > tolerance.toSeconds()) return false;
    boolean isGenuine = false;
    for (String secret : secrets) {
      byte[] expected = sign(secret, t, rawBody);
      for (byte[] signature : signatures) isGenuine |= MessageDigest.isEqual(expected, signature);
    }
    return isGenuine;
  }

  /**
   * The event of a delivery that is genuine; else a WebhookVerificationException. Without a secret, as when the
   * environment lacks it, an IllegalArgumentException: nothing is wrong with the delivery.
   */
  @SuppressWarnings("unchecked")
  public WebhookEvent parse(byte[] rawBody, @Nullable String header) {
    if (secrets.isEmpty()) throw new IllegalArgumentException("A secret is required, and is empty");
    if (!verify(rawBody, header)) {
      throw new WebhookVerificationException("The signature is missing, wrong, or too far from the clock", null);
    }
    Map<String, @Nullable Object> event = Json.readObject(new String(rawBody, StandardCharsets.UTF_8));
    return new WebhookEvent(
        String.valueOf(event.get("id")),
        String.valueOf(event.get("event")),
        String.valueOf(event.get("appId")),
        Instant.parse(String.valueOf(event.get("timestamp"))),
        (Map<String, @Nullable Object>) event.get("payload"));
  }

  private static byte[] sign(String secret, String t, byte[] rawBody) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update((t + ".").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(mac.doFinal(rawBody)).getBytes(StandardCharsets.US_ASCII);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
