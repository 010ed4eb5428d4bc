// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.internal.Transport;

/** Every operation, by resource. */
public abstract class Resources {
  private final PublicDevicesResource publicDevices;
  private final DevicesResource devices;
  private final EventsResource events;
  private final TrackResource track;
  private final ChannelsResource channels;
  private final ContactsResource contacts;
  private final PublicInboxResource publicInbox;
  private final InboxResource inbox;
  private final NotificationsResource notifications;
  private final TemplatesResource templates;
  private final SegmentsResource segments;
  private final WorkflowsResource workflows;
  private final ExecutionsResource executions;
  private final StatsResource stats;
  private final WebhooksResource webhooks;
  private final DeadLettersResource deadLetters;
  private final CredentialsResource credentials;
  private final PublicAppsResource publicApps;
  private final ApplicationResource application;
  private final ApiKeysResource apiKeys;
  private final AuditLogResource auditLog;

  protected Resources(Transport transport) {
    publicDevices = new PublicDevicesResource(transport);
    devices = new DevicesResource(transport);
    events = new EventsResource(transport);
    track = new TrackResource(transport);
    channels = new ChannelsResource(transport);
    contacts = new ContactsResource(transport);
    publicInbox = new PublicInboxResource(transport);
    inbox = new InboxResource(transport);
    notifications = new NotificationsResource(transport);
    templates = new TemplatesResource(transport);
    segments = new SegmentsResource(transport);
    workflows = new WorkflowsResource(transport);
    executions = new ExecutionsResource(transport);
    stats = new StatsResource(transport);
    webhooks = new WebhooksResource(transport);
    deadLetters = new DeadLettersResource(transport);
    credentials = new CredentialsResource(transport);
    publicApps = new PublicAppsResource(transport);
    application = new ApplicationResource(transport);
    apiKeys = new ApiKeysResource(transport);
    auditLog = new AuditLogResource(transport);
  }

  public PublicDevicesResource publicDevices() {
    return publicDevices;
  }

  public DevicesResource devices() {
    return devices;
  }

  public EventsResource events() {
    return events;
  }

  public TrackResource track() {
    return track;
  }

  public ChannelsResource channels() {
    return channels;
  }

  public ContactsResource contacts() {
    return contacts;
  }

  public PublicInboxResource publicInbox() {
    return publicInbox;
  }

  public InboxResource inbox() {
    return inbox;
  }

  public NotificationsResource notifications() {
    return notifications;
  }

  public TemplatesResource templates() {
    return templates;
  }

  public SegmentsResource segments() {
    return segments;
  }

  public WorkflowsResource workflows() {
    return workflows;
  }

  public ExecutionsResource executions() {
    return executions;
  }

  public StatsResource stats() {
    return stats;
  }

  public WebhooksResource webhooks() {
    return webhooks;
  }

  public DeadLettersResource deadLetters() {
    return deadLetters;
  }

  public CredentialsResource credentials() {
    return credentials;
  }

  public PublicAppsResource publicApps() {
    return publicApps;
  }

  public ApplicationResource application() {
    return application;
  }

  public ApiKeysResource apiKeys() {
    return apiKeys;
  }

  public AuditLogResource auditLog() {
    return auditLog;
  }
}
