// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code contacts}. */
public final class ContactsResource {
  private final Transport transport;

  public ContactsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Create or update a contact.
   */
  public ContactsCreateResult create(UpsertContact body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Create or update a contact.
   */
  public ContactsCreateResult create(UpsertContact body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/contacts").body(body).takesKey().options(options), ContactsCreateResult::new);
  }

  /**
   * List contacts.
   */
  public Pages<Contact> list() {
    return list(ContactsListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List contacts.
   */
  public Pages<Contact> list(ContactsListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List contacts.
   */
  public Pages<Contact> list(ContactsListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/contacts").query(query).options(options), Contact::new);
  }

  /**
   * Create or update up to 1,000 contacts.
   */
  public ContactsBulkResult bulk(BulkContacts body) {
    return bulk(body, RequestOptions.NONE);
  }

  /**
   * Create or update up to 1,000 contacts.
   */
  public ContactsBulkResult bulk(BulkContacts body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/contacts/bulk").body(body).takesKey().options(options), ContactsBulkResult::new);
  }

  /**
   * Add and remove tags of many contacts.
   */
  public ContactsTagsManyResult tagsMany(ChangeTagsOfMany body) {
    return tagsMany(body, RequestOptions.NONE);
  }

  /**
   * Add and remove tags of many contacts.
   */
  public ContactsTagsManyResult tagsMany(ChangeTagsOfMany body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/contacts/tags").body(body).takesKey().options(options), ContactsTagsManyResult::new);
  }

  /**
   * Create or update many contacts.
   */
  public Lines<ImportResult> importAll(Iterable<? extends UpsertContact> lines) {
    return importAll(lines, RequestOptions.NONE);
  }

  /**
   * Create or update many contacts.
   */
  public Lines<ImportResult> importAll(Iterable<? extends UpsertContact> lines, RequestOptions options) {
    return transport.sendLines(Call.of("POST", "/api/v1/contacts/import").options(options), lines, ImportResult::new);
  }

  /**
   * Add and remove tags of a contact.
   */
  public Contact tags(String id, ChangeTags body) {
    return tags(id, body, RequestOptions.NONE);
  }

  /**
   * Add and remove tags of a contact.
   */
  public Contact tags(String id, ChangeTags body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/contacts/{id}/tags", id).body(body).takesKey().options(options), Contact::new);
  }

  /**
   * Read a contact.
   */
  public Contact get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a contact.
   */
  public Contact get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/contacts/{id}", id).options(options), Contact::new);
  }

  /**
   * Update a contact.
   */
  public Contact update(String id, UpdateContact body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Update a contact.
   */
  public Contact update(String id, UpdateContact body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/contacts/{id}", id).body(body).options(options), Contact::new);
  }

  /**
   * Delete a person.
   */
  public Deleted delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Delete a person.
   */
  public Deleted delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/contacts/{id}", id).options(options), Deleted::new);
  }

  /**
   * Read what a contact wants to get.
   */
  public Preferences preferences(String id) {
    return preferences(id, RequestOptions.NONE);
  }

  /**
   * Read what a contact wants to get.
   */
  public Preferences preferences(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/contacts/{id}/preferences", id).options(options), Preferences::new);
  }

  /**
   * Unsubscribe a contact, or subscribe it again.
   */
  public Preferences updatePreferences(String id, UpdatePreferences body) {
    return updatePreferences(id, body, RequestOptions.NONE);
  }

  /**
   * Unsubscribe a contact, or subscribe it again.
   */
  public Preferences updatePreferences(String id, UpdatePreferences body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/contacts/{id}/preferences", id).body(body).options(options), Preferences::new);
  }

  /**
   * Add and remove tags of a contact, by your own id.
   */
  public Contact tagsByExternalId(String externalId, ChangeTags body) {
    return tagsByExternalId(externalId, body, RequestOptions.NONE);
  }

  /**
   * Add and remove tags of a contact, by your own id.
   */
  public Contact tagsByExternalId(String externalId, ChangeTags body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/contacts/by-external-id/{external_id}/tags", externalId).body(body).takesKey().options(options), Contact::new);
  }

  /**
   * Read a contact, by your own id.
   */
  public Contact getByExternalId(String externalId) {
    return getByExternalId(externalId, RequestOptions.NONE);
  }

  /**
   * Read a contact, by your own id.
   */
  public Contact getByExternalId(String externalId, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/contacts/by-external-id/{external_id}", externalId).options(options), Contact::new);
  }

  /**
   * Update a contact, by your own id.
   */
  public Contact updateByExternalId(String externalId, UpdateContact body) {
    return updateByExternalId(externalId, body, RequestOptions.NONE);
  }

  /**
   * Update a contact, by your own id.
   */
  public Contact updateByExternalId(String externalId, UpdateContact body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/contacts/by-external-id/{external_id}", externalId).body(body).options(options), Contact::new);
  }

  /**
   * Delete a person, by your own id.
   */
  public Deleted deleteByExternalId(String externalId) {
    return deleteByExternalId(externalId, RequestOptions.NONE);
  }

  /**
   * Delete a person, by your own id.
   */
  public Deleted deleteByExternalId(String externalId, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/contacts/by-external-id/{external_id}", externalId).options(options), Deleted::new);
  }

  /**
   * Read what a contact wants to get, by your own id.
   */
  public Preferences preferencesByExternalId(String externalId) {
    return preferencesByExternalId(externalId, RequestOptions.NONE);
  }

  /**
   * Read what a contact wants to get, by your own id.
   */
  public Preferences preferencesByExternalId(String externalId, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/contacts/by-external-id/{external_id}/preferences", externalId).options(options), Preferences::new);
  }

  /**
   * Unsubscribe a contact, or subscribe it again, by your own id.
   */
  public Preferences updatePreferencesByExternalId(String externalId, UpdatePreferences body) {
    return updatePreferencesByExternalId(externalId, body, RequestOptions.NONE);
  }

  /**
   * Unsubscribe a contact, or subscribe it again, by your own id.
   */
  public Preferences updatePreferencesByExternalId(String externalId, UpdatePreferences body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/contacts/by-external-id/{external_id}/preferences", externalId).body(body).options(options), Preferences::new);
  }
}
