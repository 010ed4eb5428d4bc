package dev.heliograph.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as maps, lists, texts, numbers (Long where whole, else Double), booleans and null. */
public final class Json {
  /** A text that is not JSON. */
  public static final class Malformed extends RuntimeException {
    Malformed(String message) {
      super(message);
    }
  }

  private static final int DEEPEST = 500;
  private final String text;
  private int at = 0;
  private int depth = 0;

  private Json(String text) {
    this.text = text;
  }

  /** Fails with {@link Malformed}. */
  public static @Nullable Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.space();
    if (json.at < text.length()) throw json.malformed();
    return value;
  }

  /** An object; fails with {@link Malformed} for everything else. */
  @SuppressWarnings("unchecked")
  public static Map<String, @Nullable Object> readObject(String text) {
    if (read(text) instanceof Map<?, ?> map) return (Map<String, @Nullable Object>) map;
    throw new Malformed("It is not an object");
  }

  private Malformed malformed() {
    return new Malformed("It is not JSON, at " + at);
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private char next() {
    space();
    if (at >= text.length()) throw malformed();
    return text.charAt(at);
  }

  private void expect(String word) {
    if (!text.startsWith(word, at)) throw malformed();
    at += word.length();
  }

  private @Nullable Object value() {
    switch (next()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        expect("true");
        return true;
      case 'f':
        expect("false");
        return false;
      case 'n':
        expect("null");
        return null;
      default:
        return number();
    }
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    enter();
    if (next() != '}') {
      for (; ; at++) {
        if (next() != '"') throw malformed();
        String name = string();
        if (next() != ':') throw malformed();
        at++;
        fields.put(name, value());
        if (next() != ',') break;
      }
    }
    leave('}');
    return fields;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> items = new ArrayList<>();
    enter();
    if (next() != ']') {
      for (; ; at++) {
        items.add(value());
        if (next() != ',') break;
      }
    }
    leave(']');
    return items;
  }

  private void enter() {
    at++;
    if (++depth > DEEPEST) throw malformed();
  }

  private void leave(char end) {
    if (next() != end) throw malformed();
    at++;
    depth--;
  }

  private String string() {
    int start = ++at;
    while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') at++;
    if (at < text.length() && text.charAt(at) == '"') return text.substring(start, at++);
    StringBuilder out = new StringBuilder(text.substring(start, at));
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') return out.toString();
      out.append(c == '\\' ? escaped() : c);
    }
    throw malformed();
  }

  private char escaped() {
    if (at >= text.length()) throw malformed();
    char c = text.charAt(at++);
    switch (c) {
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        try {
          at += 4;
          return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        } catch (RuntimeException e) {
          throw malformed();
        }
      default:
        if ("\"\\/".indexOf(c) < 0) throw malformed();
        return c;
    }
  }

  private Number number() {
    int start = at;
    boolean isWhole = true;
    for (; at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0; at++) {
      if (".eE".indexOf(text.charAt(at)) >= 0) isWhole = false;
    }
    String digits = text.substring(start, at);
    try {
      // One after the other: a choice between both types would make each a double.
      if (isWhole && digits.length() < 19) return Long.valueOf(digits);
      return Double.valueOf(digits);
    } catch (NumberFormatException e) {
      throw malformed();
    }
  }

  public static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(@Nullable Object value, StringBuilder out) {
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Number number) {
      double of = number.doubleValue();
      if (Double.isNaN(of) || Double.isInfinite(of)) throw new IllegalArgumentException("JSON has no " + of);
      out.append(number);
    } else if (value instanceof Map<?, ?> map) {
      String before = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(before);
        quote(String.valueOf(entry.getKey()), out);
        write(entry.getValue(), out.append(':'));
        before = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> items) {
      out.append('[');
      String before = "";
      for (Object item : items) {
        write(item, out.append(before));
        before = ",";
      }
      out.append(']');
    } else if (value instanceof dev.heliograph.model.Shape shape) {
      write(shape.json(), out);
    } else {
      quote(value.toString(), out);
    }
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    out.append('"');
  }
}
