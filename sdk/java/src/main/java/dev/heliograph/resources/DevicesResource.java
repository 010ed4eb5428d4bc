// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code devices}. */
public final class DevicesResource {
  private final Transport transport;

  public DevicesResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * List devices.
   */
  public Pages<Device> list() {
    return list(DevicesListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List devices.
   */
  public Pages<Device> list(DevicesListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List devices.
   */
  public Pages<Device> list(DevicesListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/devices").query(query).options(options), Device::new);
  }

  /**
   * Read a device.
   */
  public Device get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a device.
   */
  public Device get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/devices/{id}", id).options(options), Device::new);
  }

  /**
   * Change a device.
   */
  public Device update(String id, UpdateDevice body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Change a device.
   */
  public Device update(String id, UpdateDevice body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/devices/{id}", id).body(body).options(options), Device::new);
  }

  /**
   * Remove a device.
   */
  public Deleted delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Remove a device.
   */
  public Deleted delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/devices/{id}", id).options(options), Deleted::new);
  }

  /**
   * Register many devices.
   */
  public Lines<ImportResult> importAll(Iterable<? extends RegisterDevice> lines) {
    return importAll(lines, RequestOptions.NONE);
  }

  /**
   * Register many devices.
   */
  public Lines<ImportResult> importAll(Iterable<? extends RegisterDevice> lines, RequestOptions options) {
    return transport.sendLines(Call.of("POST", "/api/v1/devices/import").options(options), lines, ImportResult::new);
  }

  /**
   * Export devices.
   */
  public Lines<Device> export() {
    return export(DevicesExportQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * Export devices.
   */
  public Lines<Device> export(DevicesExportQuery query) {
    return export(query, RequestOptions.NONE);
  }

  /**
   * Export devices.
   */
  public Lines<Device> export(DevicesExportQuery query, RequestOptions options) {
    return transport.lines(Call.of("GET", "/api/v1/devices/export").query(query).options(options), Device::new);
  }
}
