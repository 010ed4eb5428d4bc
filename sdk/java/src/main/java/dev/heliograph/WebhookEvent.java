package dev.heliograph;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of a delivery.
 *
 * @param id the same on every attempt: skip what you have seen
 */
public record WebhookEvent(
    String id, String event, String appId, Instant timestamp, Map<String, @Nullable Object> payload) {}
