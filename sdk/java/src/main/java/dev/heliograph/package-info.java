/** The Heliograph API for servers; begin with {@link dev.heliograph.Heliograph}. */
@NullMarked
package dev.heliograph;

import org.jspecify.annotations.NullMarked;
