package dev.heliograph;

import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Items that come one by one, as an export, or the results of an import. Nothing is asked before the first is wanted,
 * and they come once. Close it when it is left before its end.
 */
public abstract class Lines<T> implements Iterator<T>, Iterable<T>, AutoCloseable {
  @Override
  public final Iterator<T> iterator() {
    return this;
  }

  public final Stream<T> stream() {
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false).onClose(this::close);
  }

  @Override
  public void close() {}
}
