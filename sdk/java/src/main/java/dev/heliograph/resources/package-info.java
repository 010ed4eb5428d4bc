/** Operations of the API, generated from its OpenAPI document. */
@NullMarked
package dev.heliograph.resources;

import org.jspecify.annotations.NullMarked;
