package dev.heliograph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param nextCursor null on the last page
 */
public record Page<T>(List<T> data, @Nullable String nextCursor) {}
