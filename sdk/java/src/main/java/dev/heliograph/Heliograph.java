package dev.heliograph;

import dev.heliograph.internal.Transport;
import dev.heliograph.resources.Resources;
import java.net.http.HttpClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The service, by resource and operation. One serves any number of threads, for as long as the program runs. */
public final class Heliograph extends Resources {
  public static final String VERSION = "0.1.0";

  private Heliograph(Transport transport) {
    super(transport);
  }

  /**
   * With defaults.
   *
   * @param apiKey a secret key (sk_…), or a public one for the few operations that take it
   * @param baseUrl where the service is, such as https://push.example.com
   */
  public static Heliograph create(String apiKey, String baseUrl) {
    return builder(apiKey, baseUrl).build();
  }

  public static Builder builder(String apiKey, String baseUrl) {
    return new Builder(apiKey, baseUrl);
  }

  /** Makes a client that differs from the defaults. */
  public static final class Builder {
    private final String apiKey;
    private final String baseUrl;
    private Duration timeout = Duration.ofSeconds(30);
    private Duration deadline = Duration.ofSeconds(90);
    private int maxRetries = 4;
    private @Nullable HttpClient http = null;

    private Builder(String apiKey, String baseUrl) {
      this.apiKey = apiKey;
      this.baseUrl = baseUrl;
    }

    /** How long one attempt may take: 30 seconds unless given. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** How long a call may take with all its attempts and the waiting between them: 90 seconds unless given. */
    public Builder deadline(Duration deadline) {
      this.deadline = deadline;
      return this;
    }

    /** Attempts after the first: 4 unless given. */
    public Builder maxRetries(int maxRetries) {
      this.maxRetries = maxRetries;
      return this;
    }

    /** With proxies, certificates or threads of your own; it has to follow no redirects. */
    public Builder httpClient(HttpClient http) {
      this.http = http;
      return this;
    }

    /** Fails with an IllegalArgumentException for a key or an address that cannot work. */
    public Heliograph build() {
      return new Heliograph(new Transport(apiKey, baseUrl, timeout, deadline, maxRetries, http));
    }
  }
}
