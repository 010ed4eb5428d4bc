package dev.heliograph.conformance;

import dev.heliograph.WebhookEvent;
import dev.heliograph.Webhooks;
import dev.heliograph.internal.Json;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The conformance suite's command (sdk/conformance): a request a line in, an answer a line out. */
public final class Driver {
  private Driver() {}

  @SuppressWarnings("unchecked")
  private static void webhook(String call, Input in) {
    byte[] body = Base64.getDecoder().decode((String) in.request.get("body_base64"));
    Clock clock =
        in.request.get("now") instanceof Number now
            ? Clock.fixed(Instant.ofEpochSecond(now.longValue()), ZoneOffset.UTC)
            : Clock.systemUTC();
    Duration tolerance = Duration.ofSeconds(((Number) in.request.getOrDefault("tolerance_seconds", 300)).longValue());
    Webhooks webhooks = new Webhooks((List<String>) in.request.get("secrets"), tolerance, clock);
    String header = (String) in.request.get("header");
    if (call.equals("verify")) {
      in.answer.put("value", webhooks.verify(body, header));
      return;
    }
    WebhookEvent event = webhooks.parse(body, header);
    in.answer.put("value", Map.of("id", event.id(), "event", event.event()));
  }

  private static void run(Input in) throws InterruptedException {
    try {
      String call = (String) in.request.get("call");
      if (call.equals("verify") || call.equals("parse")) webhook(call, in);
      else Operations.run(in.client(), call, in);
    } catch (RuntimeException e) {
      in.answer.put("error", Input.problem(e));
    }
  }

  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Input in = new Input(Json.readObject(line));
      Thread thread =
          new Thread(
              () -> {
                try {
                  run(in);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      thread.start();
      if (in.request.get("cancel_after_ms") instanceof Number after) {
        thread.join(after.longValue());
        thread.interrupt();
      }
      thread.join();
      out.println(Json.write(in.answer));
    }
  }
}
