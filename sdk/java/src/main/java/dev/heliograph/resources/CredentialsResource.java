// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code credentials}. */
public final class CredentialsResource {
  private final Transport transport;

  public CredentialsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * List provider credentials.
   */
  public Pages<Credential> list() {
    return list(RequestOptions.NONE);
  }

  /**
   * List provider credentials.
   */
  public Pages<Credential> list(RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/credentials").options(options), Credential::new);
  }

  /**
   * Set the APNs credential.
   */
  public Credential setApns(ApnsCredential body) {
    return setApns(body, RequestOptions.NONE);
  }

  /**
   * Set the APNs credential.
   */
  public Credential setApns(ApnsCredential body, RequestOptions options) {
    return transport.value(Call.of("PUT", "/api/v1/credentials/apns").body(body).options(options), Credential::new);
  }

  /**
   * Read the APNs credential.
   */
  public Credential getApns() {
    return getApns(RequestOptions.NONE);
  }

  /**
   * Read the APNs credential.
   */
  public Credential getApns(RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/credentials/apns").options(options), Credential::new);
  }

  /**
   * Remove the APNs credential.
   */
  public Deleted deleteApns() {
    return deleteApns(RequestOptions.NONE);
  }

  /**
   * Remove the APNs credential.
   */
  public Deleted deleteApns(RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/credentials/apns").options(options), Deleted::new);
  }

  /**
   * Check the APNs credential.
   */
  public CredentialCheck checkApns() {
    return checkApns(RequestOptions.NONE);
  }

  /**
   * Check the APNs credential.
   */
  public CredentialCheck checkApns(RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/credentials/apns/check").takesKey().options(options), CredentialCheck::new);
  }

  /**
   * Set the FCM credential.
   */
  public Credential setFcm(CredentialsSetFcmBody body) {
    return setFcm(body, RequestOptions.NONE);
  }

  /**
   * Set the FCM credential.
   */
  public Credential setFcm(CredentialsSetFcmBody body, RequestOptions options) {
    return transport.value(Call.of("PUT", "/api/v1/credentials/fcm").body(body).options(options), Credential::new);
  }

  /**
   * Read the FCM credential.
   */
  public Credential getFcm() {
    return getFcm(RequestOptions.NONE);
  }

  /**
   * Read the FCM credential.
   */
  public Credential getFcm(RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/credentials/fcm").options(options), Credential::new);
  }

  /**
   * Remove the FCM credential.
   */
  public Deleted deleteFcm() {
    return deleteFcm(RequestOptions.NONE);
  }

  /**
   * Remove the FCM credential.
   */
  public Deleted deleteFcm(RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/credentials/fcm").options(options), Deleted::new);
  }

  /**
   * Check the FCM credential.
   */
  public CredentialCheck checkFcm() {
    return checkFcm(RequestOptions.NONE);
  }

  /**
   * Check the FCM credential.
   */
  public CredentialCheck checkFcm(RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/credentials/fcm/check").takesKey().options(options), CredentialCheck::new);
  }

  /**
   * Set the Web Push credential.
   */
  public Credential setWebpush(WebPushCredential body) {
    return setWebpush(body, RequestOptions.NONE);
  }

  /**
   * Set the Web Push credential.
   */
  public Credential setWebpush(WebPushCredential body, RequestOptions options) {
    return transport.value(Call.of("PUT", "/api/v1/credentials/webpush").body(body).options(options), Credential::new);
  }

  /**
   * Read the Web Push credential.
   */
  public Credential getWebpush() {
    return getWebpush(RequestOptions.NONE);
  }

  /**
   * Read the Web Push credential.
   */
  public Credential getWebpush(RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/credentials/webpush").options(options), Credential::new);
  }

  /**
   * Remove the Web Push credential.
   */
  public Deleted deleteWebpush() {
    return deleteWebpush(RequestOptions.NONE);
  }

  /**
   * Remove the Web Push credential.
   */
  public Deleted deleteWebpush(RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/credentials/webpush").options(options), Deleted::new);
  }

  /**
   * Check the Web Push credential.
   */
  public CredentialCheck checkWebpush() {
    return checkWebpush(RequestOptions.NONE);
  }

  /**
   * Check the Web Push credential.
   */
  public CredentialCheck checkWebpush(RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/credentials/webpush/check").takesKey().options(options), CredentialCheck::new);
  }

  /**
   * Set the e-mail credential.
   */
  public Credential setSmtp(SmtpCredential body) {
    return setSmtp(body, RequestOptions.NONE);
  }

  /**
   * Set the e-mail credential.
   */
  public Credential setSmtp(SmtpCredential body, RequestOptions options) {
    return transport.value(Call.of("PUT", "/api/v1/credentials/smtp").body(body).options(options), Credential::new);
  }

  /**
   * Read the e-mail credential.
   */
  public Credential getSmtp() {
    return getSmtp(RequestOptions.NONE);
  }

  /**
   * Read the e-mail credential.
   */
  public Credential getSmtp(RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/credentials/smtp").options(options), Credential::new);
  }

  /**
   * Remove the e-mail credential.
   */
  public Deleted deleteSmtp() {
    return deleteSmtp(RequestOptions.NONE);
  }

  /**
   * Remove the e-mail credential.
   */
  public Deleted deleteSmtp(RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/credentials/smtp").options(options), Deleted::new);
  }

  /**
   * Check the e-mail credential.
   */
  public CredentialCheck checkSmtp() {
    return checkSmtp(RequestOptions.NONE);
  }

  /**
   * Check the e-mail credential.
   */
  public CredentialCheck checkSmtp(RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/credentials/smtp/check").takesKey().options(options), CredentialCheck::new);
  }
}
