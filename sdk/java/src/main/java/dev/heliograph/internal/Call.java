package dev.heliograph.internal;

import dev.heliograph.RequestOptions;
import dev.heliograph.model.Shape;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an operation asks. */
public final class Call {
  final String method;
  final String path;
  @Nullable Shape body;
  String query = "";
  boolean takesKey = false;
  RequestOptions options = RequestOptions.NONE;

  private Call(String method, String path) {
    this.method = method;
    this.path = path;
  }

  /** The ids take the places in braces. */
  public static Call of(String method, String template, String... ids) {
    StringBuilder path = new StringBuilder();
    int at = 0;
    for (String id : ids) {
      int open = template.indexOf('{', at);
      int close = template.indexOf('}', open);
      // Empty, it would make another address of it, that of the list; dots lead elsewhere, percent-encoded too.
      if (id == null || id.isEmpty() || id.equals(".") || id.equals("..")) {
        String given = id == null ? "null" : "\"" + id + "\"";
        throw new IllegalArgumentException(template.substring(open + 1, close) + " must not be " + given);
      }
      path.append(template, at, open).append(encode(id));
      at = close + 1;
    }
    return new Call(method, path.append(template.substring(at)).toString());
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  public Call body(Shape body) {
    this.body = body;
    return this;
  }

  public Call query(Shape query) {
    this.query = queryOf(query.json());
    return this;
  }

  Call with(Map<String, ? extends @Nullable Object> more) {
    Call call = new Call(method, path);
    String added = queryOf(more);
    // What is asked for last counts: a cursor takes the place of the one that was given.
    List<String> kept = new ArrayList<>();
    for (String pair : query.isEmpty() ? new String[0] : query.split("&")) {
      if (!more.containsKey(pair.substring(0, pair.indexOf('=')))) kept.add(pair);
    }
    if (!added.isEmpty()) kept.add(added);
    call.query = String.join("&", kept);
    call.options = options;
    return call;
  }

  private static String queryOf(Map<String, ? extends @Nullable Object> fields) {
    List<String> pairs = new ArrayList<>();
    fields.forEach((name, value) -> {
      for (Object one : value instanceof List<?> list ? list : java.util.Collections.singletonList(value)) {
        if (one != null) pairs.add(encode(name) + "=" + encode(one.toString()));
      }
    });
    return String.join("&", pairs);
  }

  public Call takesKey() {
    takesKey = true;
    return this;
  }

  public Call options(RequestOptions options) {
    this.options = options;
    return this;
  }
}
