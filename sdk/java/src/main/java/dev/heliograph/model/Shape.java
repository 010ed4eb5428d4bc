package dev.heliograph.model;

import dev.heliograph.internal.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An object of the API: JSON, seen through typed methods. Two are equal when their JSON is. */
public abstract class Shape {
  private final Map<String, @Nullable Object> json;

  Shape(Map<String, ? extends @Nullable Object> json) {
    this.json = Collections.unmodifiableMap(new LinkedHashMap<>(json));
  }

  /** All that it has, also what this version of the library does not know. */
  public final Map<String, @Nullable Object> json() {
    return json;
  }

  static <A> A there(String name, @Nullable A value) {
    if (value == null) throw new IllegalStateException(name + " is missing");
    return value;
  }

  final @Nullable Object any(String name) {
    return json.get(name);
  }

  final @Nullable String text(String name) {
    return (String) json.get(name);
  }

  final @Nullable Long integer(String name) {
    return json.get(name) instanceof Number number ? number.longValue() : null;
  }

  final @Nullable Double number(String name) {
    return json.get(name) instanceof Number number ? number.doubleValue() : null;
  }

  final @Nullable Boolean flag(String name) {
    return (Boolean) json.get(name);
  }

  @SuppressWarnings("unchecked")
  final @Nullable Map<String, @Nullable Object> map(String name) {
    return (Map<String, @Nullable Object>) json.get(name);
  }

  final <A> @Nullable A object(String name, Function<Map<String, @Nullable Object>, A> read) {
    Map<String, @Nullable Object> value = map(name);
    return value == null ? null : read.apply(value);
  }

  @SuppressWarnings("unchecked")
  final <A> @Nullable List<A> list(String name) {
    List<A> value = (List<A>) json.get(name);
    return value == null ? null : Collections.unmodifiableList(value);
  }

  final <A> @Nullable List<A> list(String name, Function<Map<String, @Nullable Object>, A> read) {
    List<Map<String, @Nullable Object>> value = list(name);
    return value == null ? null : value.stream().map(read).toList();
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other != null && other.getClass() == getClass() && ((Shape) other).json.equals(json);
  }

  @Override
  public final int hashCode() {
    return json.hashCode();
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + Json.write(json);
  }

  /** Makes a shape, field by field. */
  public abstract static class Builder {
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

    Builder() {}

    final void put(String name, @Nullable Object value) {
      fields.put(name, plain(value));
    }

    private static @Nullable Object plain(@Nullable Object value) {
      if (value instanceof Shape shape) return shape.json;
      if (!(value instanceof List<?> list)) return value;
      List<@Nullable Object> items = new ArrayList<>(list.size());
      for (Object item : list) items.add(plain(item));
      return items;
    }

    final Map<String, @Nullable Object> fields(String... required) {
      for (String name : required) {
        if (!fields.containsKey(name)) throw new IllegalArgumentException(name + " is required");
      }
      return fields;
    }
  }
}
