/** Not for use outside this library. */
@NullMarked
package dev.heliograph.internal;

import org.jspecify.annotations.NullMarked;
