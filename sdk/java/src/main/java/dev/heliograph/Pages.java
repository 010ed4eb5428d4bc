package dev.heliograph;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** A list: iterate over it for every item, over {@link #pages()}, or take one {@link #page()}. It asks when it has to. */
public final class Pages<T> implements Iterable<T> {
  private final Function<@Nullable String, Page<T>> load;

  public Pages(Function<@Nullable String, Page<T>> load) {
    this.load = load;
  }

  /** The first page, or the one of the cursor that was given. */
  public Page<T> page() {
    return load.apply(null);
  }

  public Iterable<Page<T>> pages() {
    return () ->
        new Iterator<>() {
          private @Nullable Page<T> last = null;

          @Override
          public boolean hasNext() {
            return last == null || last.nextCursor() != null;
          }

          @Override
          public Page<T> next() {
            if (!hasNext()) throw new NoSuchElementException();
            last = load.apply(last == null ? null : last.nextCursor());
            return last;
          }
        };
  }

  @Override
  public Iterator<T> iterator() {
    return stream().iterator();
  }

  /** Every item; a page is asked for when it is needed. */
  public Stream<T> stream() {
    return StreamSupport.stream(pages().spliterator(), false).flatMap(page -> page.data().stream());
  }
}
