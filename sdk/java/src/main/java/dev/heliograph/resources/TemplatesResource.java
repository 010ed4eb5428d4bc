// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code templates}. */
public final class TemplatesResource {
  private final Transport transport;

  public TemplatesResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Create a template.
   */
  public Template create(CreateTemplate body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Create a template.
   */
  public Template create(CreateTemplate body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/templates").body(body).takesKey().options(options), Template::new);
  }

  /**
   * List templates.
   */
  public Pages<Template> list() {
    return list(TemplatesListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List templates.
   */
  public Pages<Template> list(TemplatesListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List templates.
   */
  public Pages<Template> list(TemplatesListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/templates").query(query).options(options), Template::new);
  }

  /**
   * Fill a template that is not saved.
   */
  public TemplatePreview previewMany(PreviewSources body) {
    return previewMany(body, RequestOptions.NONE);
  }

  /**
   * Fill a template that is not saved.
   */
  public TemplatePreview previewMany(PreviewSources body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/templates/preview").body(body).takesKey().options(options), TemplatePreview::new);
  }

  /**
   * Read a template.
   */
  public Template get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a template.
   */
  public Template get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/templates/{id}", id).options(options), Template::new);
  }

  /**
   * Change a template.
   */
  public Template update(String id, UpdateTemplate body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Change a template.
   */
  public Template update(String id, UpdateTemplate body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/templates/{id}", id).body(body).options(options), Template::new);
  }

  /**
   * Remove a template.
   */
  public Deleted delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Remove a template.
   */
  public Deleted delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/templates/{id}", id).options(options), Deleted::new);
  }

  /**
   * List the versions of a template.
   */
  public Pages<TemplateVersionSummary> versions(String id) {
    return versions(id, RequestOptions.NONE);
  }

  /**
   * List the versions of a template.
   */
  public Pages<TemplateVersionSummary> versions(String id, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/templates/{id}/versions", id).options(options), TemplateVersionSummary::new);
  }

  /**
   * Read a version of a template.
   */
  public TemplateVersion getVersion(String id) {
    return getVersion(id, RequestOptions.NONE);
  }

  /**
   * Read a version of a template.
   */
  public TemplateVersion getVersion(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/templates/versions/{id}", id).options(options), TemplateVersion::new);
  }

  /**
   * Fill a template for an example.
   */
  public TemplatePreview preview(String id, PreviewTemplate body) {
    return preview(id, body, RequestOptions.NONE);
  }

  /**
   * Fill a template for an example.
   */
  public TemplatePreview preview(String id, PreviewTemplate body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/templates/{id}/preview", id).body(body).takesKey().options(options), TemplatePreview::new);
  }
}
