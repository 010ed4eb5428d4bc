/** Shapes of the API, generated from its OpenAPI document. */
@NullMarked
package dev.heliograph.model;

import org.jspecify.annotations.NullMarked;
