# frozen_string_literal: true

# Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
module Heliograph
  # The operations of the service, by resource.
  module Resources
    # @return [Resources::PublicDevices]
    def public_devices
      @public_devices ||= PublicDevices.new(@transport)
    end

    # @return [Resources::Devices]
    def devices
      @devices ||= Devices.new(@transport)
    end

    # @return [Resources::Events]
    def events
      @events ||= Events.new(@transport)
    end

    # @return [Resources::Track]
    def track
      @track ||= Track.new(@transport)
    end

    # @return [Resources::Channels]
    def channels
      @channels ||= Channels.new(@transport)
    end

    # @return [Resources::Contacts]
    def contacts
      @contacts ||= Contacts.new(@transport)
    end

    # @return [Resources::PublicInbox]
    def public_inbox
      @public_inbox ||= PublicInbox.new(@transport)
    end

    # @return [Resources::Inbox]
    def inbox
      @inbox ||= Inbox.new(@transport)
    end

    # @return [Resources::Notifications]
    def notifications
      @notifications ||= Notifications.new(@transport)
    end

    # @return [Resources::Templates]
    def templates
      @templates ||= Templates.new(@transport)
    end

    # @return [Resources::Segments]
    def segments
      @segments ||= Segments.new(@transport)
    end

    # @return [Resources::Workflows]
    def workflows
      @workflows ||= Workflows.new(@transport)
    end

    # @return [Resources::Executions]
    def executions
      @executions ||= Executions.new(@transport)
    end

    # @return [Resources::Stats]
    def stats
      @stats ||= Stats.new(@transport)
    end

    # @return [Resources::Webhooks]
    def webhooks
      @webhooks ||= Webhooks.new(@transport)
    end

    # @return [Resources::DeadLetters]
    def dead_letters
      @dead_letters ||= DeadLetters.new(@transport)
    end

    # @return [Resources::Credentials]
    def credentials
      @credentials ||= Credentials.new(@transport)
    end

    # @return [Resources::PublicApps]
    def public_apps
      @public_apps ||= PublicApps.new(@transport)
    end

    # @return [Resources::Application]
    def application
      @application ||= Application.new(@transport)
    end

    # @return [Resources::ApiKeys]
    def api_keys
      @api_keys ||= ApiKeys.new(@transport)
    end

    # @return [Resources::AuditLog]
    def audit_log
      @audit_log ||= AuditLog.new(@transport)
    end

    class PublicDevices
      def initialize(transport)
        @transport = transport
      end

      # Register or refresh a device.
      # @param token [String]
      # @param platform [String] One of: ios, android, web.
      # @param previous_token [String] The token that this device had until now, where the platform has
      #   given it a new one: its row is kept. The row of a person is kept for the same `user_id` alone.
      # @param user_id [String, nil] Your own id of the person: any text but `.` and `..`, which no path
      #   can hold.
      # @param tags [Array<String>]
      # @param timezone [String, nil]
      # @param environment [String] One of: production, sandbox.
      # @param metadata [Hash]
      # @param web_push_p256dh [String, nil]
      # @param web_push_auth [String, nil]
      # @return [PublicDevicesCreateResult]
      def create(
        token:,
        platform:,
        previous_token: NOT_GIVEN,
        user_id: NOT_GIVEN,
        tags: NOT_GIVEN,
        timezone: NOT_GIVEN,
        environment: NOT_GIVEN,
        metadata: NOT_GIVEN,
        web_push_p256dh: NOT_GIVEN,
        web_push_auth: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/public/devices",
          body: { token: token, platform: platform, previous_token: previous_token, user_id: user_id, tags: tags, timezone: timezone, environment: environment, metadata: metadata, web_push_p256dh: web_push_p256dh, web_push_auth: web_push_auth },
          options: options
        )
      end

      # Remove a device by its token.
      # @param token [String]
      # @return [PublicDevicesDeleteResult]
      def delete(
        token:,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/public/devices",
          body: { token: token },
          options: options
        )
      end
    end

    class Devices
      def initialize(transport)
        @transport = transport
      end

      # List devices.
      # @param platform [String] One of: ios, android, web.
      # @param environment [String] One of: production, sandbox.
      # @param status [String] One of: active, invalid.
      # @param user_id [String]
      # @param tags_any [Array<String>] With one of these tags at least; repeat the parameter for
      #   several.
      # @param tags_all [Array<String>] With all of these tags.
      # @param created_from [String, Time]
      # @param created_before [String, Time]
      # @param last_seen_from [String, Time]
      # @param last_seen_before [String, Time]
      # @param segment_id [String] Whom this segment holds now; beside other filters, whom all of them
      #   fit.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Device>]
      def list(
        platform: NOT_GIVEN,
        environment: NOT_GIVEN,
        status: NOT_GIVEN,
        user_id: NOT_GIVEN,
        tags_any: NOT_GIVEN,
        tags_all: NOT_GIVEN,
        created_from: NOT_GIVEN,
        created_before: NOT_GIVEN,
        last_seen_from: NOT_GIVEN,
        last_seen_before: NOT_GIVEN,
        segment_id: NOT_GIVEN,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/devices",
          query: { platform: platform, environment: environment, status: status, user_id: user_id, tags_any: tags_any, tags_all: tags_all, created_from: created_from, created_before: created_before, last_seen_from: last_seen_from, last_seen_before: last_seen_before, segment_id: segment_id, limit: limit, cursor: cursor },
          options: options
        )
      end

      # Read a device.
      # @return [Device]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/devices/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Change a device.
      # @param user_id [String, nil] Your own id of the person: any text but `.` and `..`, which no path
      #   can hold.
      # @param tags [Array<String>]
      # @param timezone [String, nil]
      # @param environment [String] One of: production, sandbox.
      # @param metadata [Hash]
      # @return [Device]
      def update(
        id,
        user_id: NOT_GIVEN,
        tags: NOT_GIVEN,
        timezone: NOT_GIVEN,
        environment: NOT_GIVEN,
        metadata: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/devices/#{Transport.segment("id", id)}",
          body: { user_id: user_id, tags: tags, timezone: timezone, environment: environment, metadata: metadata },
          options: options
        )
      end

      # Remove a device.
      # @return [Deleted]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/devices/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Register many devices.
      # @return [Enumerator<ImportResult>]
      def import(
        lines,
        options: {}
      )
        @transport.send_lines(
          "POST",
          "/api/v1/devices/import",
          lines,
          options: options
        )
      end

      # Export devices.
      # @param platform [String] One of: ios, android, web.
      # @param environment [String] One of: production, sandbox.
      # @param status [String] One of: active, invalid.
      # @param user_id [String]
      # @param tags_any [Array<String>] With one of these tags at least; repeat the parameter for
      #   several.
      # @param tags_all [Array<String>] With all of these tags.
      # @param created_from [String, Time]
      # @param created_before [String, Time]
      # @param last_seen_from [String, Time]
      # @param last_seen_before [String, Time]
      # @param segment_id [String] Whom this segment holds now; beside other filters, whom all of them
      #   fit.
      # @return [Enumerator<Device>]
      def export(
        platform: NOT_GIVEN,
        environment: NOT_GIVEN,
        status: NOT_GIVEN,
        user_id: NOT_GIVEN,
        tags_any: NOT_GIVEN,
        tags_all: NOT_GIVEN,
        created_from: NOT_GIVEN,
        created_before: NOT_GIVEN,
        last_seen_from: NOT_GIVEN,
        last_seen_before: NOT_GIVEN,
        segment_id: NOT_GIVEN,
        options: {}
      )
        @transport.lines(
          "GET",
          "/api/v1/devices/export",
          query: { platform: platform, environment: environment, status: status, user_id: user_id, tags_any: tags_any, tags_all: tags_all, created_from: created_from, created_before: created_before, last_seen_from: last_seen_from, last_seen_before: last_seen_before, segment_id: segment_id },
          options: options
        )
      end
    end

    class Events
      def initialize(transport)
        @transport = transport
      end

      # Report that a push was delivered, opened or clicked.
      # @param type [String] One of: delivered, opened, clicked.
      # @param notification_id [String]
      # @param device_id [String]
      # @param destination [String]
      # @return [EventsCreateResult]
      def create(
        type:,
        notification_id:,
        device_id:,
        destination: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/events",
          body: { type: type, notification_id: notification_id, device_id: device_id, destination: destination },
          options: options
        )
      end

      # Raise an event of your own.
      # @param event [String]
      # @param user_id [String] Your own id of the person: any text but `.` and `..`, which no path can
      #   hold.
      # @param data [Hash]
      # @return [RaisedEvent]
      def custom(
        event:,
        user_id:,
        data: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/events/custom",
          body: { event: event, user_id: user_id, data: data },
          takes_key: true,
          options: options
        )
      end
    end

    class Track
      def initialize(transport)
        @transport = transport
      end

      # Confirm that a push was delivered.
      # @param notification_id [String]
      # @param device_id [String]
      # @return [TrackCreateResult]
      def create(
        notification_id:,
        device_id:,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/track",
          body: { notification_id: notification_id, device_id: device_id },
          options: options
        )
      end
    end

    class Channels
      def initialize(transport)
        @transport = transport
      end

      # Create a channel.
      # @param kind [String] One of: email, inbox.
      # @param address [String]
      # @param user_id [String, nil] Your own id of the person: any text but `.` and `..`, which no path
      #   can hold.
      # @return [ChannelsCreateResult]
      def create(
        kind:,
        address: NOT_GIVEN,
        user_id: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/channels",
          body: { kind: kind, address: address, user_id: user_id },
          takes_key: true,
          options: options
        )
      end

      # List channels.
      # @param status [String] One of: active, suppressed, unsubscribed.
      # @param contact_id [String]
      # @param address [String] Compared without case.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Channel>]
      def list(
        status: NOT_GIVEN,
        contact_id: NOT_GIVEN,
        address: NOT_GIVEN,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/channels",
          query: { status: status, contact_id: contact_id, address: address, limit: limit, cursor: cursor },
          options: options
        )
      end

      # Read a channel.
      # @return [Channel]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/channels/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Unsubscribe a channel, or subscribe it again.
      # @param status [String] One of: active, unsubscribed.
      # @return [Channel]
      def update(
        id,
        status:,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/channels/#{Transport.segment("id", id)}",
          body: { status: status },
          options: options
        )
      end

      # Remove a channel.
      # @return [Deleted]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/channels/#{Transport.segment("id", id)}",
          options: options
        )
      end
    end

    class Contacts
      def initialize(transport)
        @transport = transport
      end

      # Create or update a contact.
      # @param external_id [String] Your own id of the person: any text but `.` and `..`, which no path
      #   can hold.
      # @param email [String, nil]
      # @param attributes [Hash]
      # @param tags [Array<String>]
      # @param locale [String, nil]
      # @param timezone [String, nil]
      # @return [ContactsCreateResult]
      def create(
        external_id:,
        email: NOT_GIVEN,
        attributes: NOT_GIVEN,
        tags: NOT_GIVEN,
        locale: NOT_GIVEN,
        timezone: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/contacts",
          body: { external_id: external_id, email: email, attributes: attributes, tags: tags, locale: locale, timezone: timezone },
          takes_key: true,
          options: options
        )
      end

      # List contacts.
      # @param external_id [String]
      # @param tag [String]
      # @param segment_id [String] Whom this segment holds now; beside other filters, whom all of them
      #   fit.
      # @param search [String] Those whose `external_id`, e-mail address or attribute `name` begins so,
      #   whatever the case; in the order of what they are found by. Not beside other filters.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Contact>]
      def list(
        external_id: NOT_GIVEN,
        tag: NOT_GIVEN,
        segment_id: NOT_GIVEN,
        search: NOT_GIVEN,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/contacts",
          query: { external_id: external_id, tag: tag, segment_id: segment_id, search: search, limit: limit, cursor: cursor },
          options: options
        )
      end

      # Create or update up to 1,000 contacts.
      # @param contacts [Array<Hash>] Each as POST /contacts takes it.
      # @return [ContactsBulkResult]
      def bulk(
        contacts:,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/contacts/bulk",
          body: { contacts: contacts },
          takes_key: true,
          options: options
        )
      end

      # Add and remove tags of many contacts.
      # @param external_ids [Array<String>]
      # @param add [Array<String>]
      # @param remove [Array<String>]
      # @return [ContactsTagsManyResult]
      def tags_many(
        external_ids:,
        add: NOT_GIVEN,
        remove: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/contacts/tags",
          body: { external_ids: external_ids, add: add, remove: remove },
          takes_key: true,
          options: options
        )
      end

      # Create or update many contacts.
      # @return [Enumerator<ImportResult>]
      def import(
        lines,
        options: {}
      )
        @transport.send_lines(
          "POST",
          "/api/v1/contacts/import",
          lines,
          options: options
        )
      end

      # Add and remove tags of a contact.
      # @param add [Array<String>]
      # @param remove [Array<String>]
      # @return [Contact]
      def tags(
        id,
        add: NOT_GIVEN,
        remove: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/contacts/#{Transport.segment("id", id)}/tags",
          body: { add: add, remove: remove },
          takes_key: true,
          options: options
        )
      end

      # Read a contact.
      # @return [Contact]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/contacts/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Update a contact.
      # @param email [String, nil]
      # @param attributes [Hash]
      # @param tags [Array<String>]
      # @param locale [String, nil]
      # @param timezone [String, nil]
      # @return [Contact]
      def update(
        id,
        email: NOT_GIVEN,
        attributes: NOT_GIVEN,
        tags: NOT_GIVEN,
        locale: NOT_GIVEN,
        timezone: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/contacts/#{Transport.segment("id", id)}",
          body: { email: email, attributes: attributes, tags: tags, locale: locale, timezone: timezone },
          options: options
        )
      end

      # Delete a person.
      # @return [Deleted]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/contacts/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Read what a contact wants to get.
      # @return [Preferences]
      def preferences(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/contacts/#{Transport.segment("id", id)}/preferences",
          options: options
        )
      end

      # Unsubscribe a contact, or subscribe it again.
      # @param all [Boolean] For every kind that is not named beside it.
      # @param push [Boolean]
      # @param email [Boolean]
      # @param inbox [Boolean]
      # @return [Preferences]
      def update_preferences(
        id,
        all: NOT_GIVEN,
        push: NOT_GIVEN,
        email: NOT_GIVEN,
        inbox: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/contacts/#{Transport.segment("id", id)}/preferences",
          body: { all: all, push: push, email: email, inbox: inbox },
          options: options
        )
      end

      # Add and remove tags of a contact, by your own id.
      # @param add [Array<String>]
      # @param remove [Array<String>]
      # @return [Contact]
      def tags_by_external_id(
        external_id,
        add: NOT_GIVEN,
        remove: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/contacts/by-external-id/#{Transport.segment("external_id", external_id)}/tags",
          body: { add: add, remove: remove },
          takes_key: true,
          options: options
        )
      end

      # Read a contact, by your own id.
      # @return [Contact]
      def get_by_external_id(
        external_id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/contacts/by-external-id/#{Transport.segment("external_id", external_id)}",
          options: options
        )
      end

      # Update a contact, by your own id.
      # @param email [String, nil]
      # @param attributes [Hash]
      # @param tags [Array<String>]
      # @param locale [String, nil]
      # @param timezone [String, nil]
      # @return [Contact]
      def update_by_external_id(
        external_id,
        email: NOT_GIVEN,
        attributes: NOT_GIVEN,
        tags: NOT_GIVEN,
        locale: NOT_GIVEN,
        timezone: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/contacts/by-external-id/#{Transport.segment("external_id", external_id)}",
          body: { email: email, attributes: attributes, tags: tags, locale: locale, timezone: timezone },
          options: options
        )
      end

      # Delete a person, by your own id.
      # @return [Deleted]
      def delete_by_external_id(
        external_id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/contacts/by-external-id/#{Transport.segment("external_id", external_id)}",
          options: options
        )
      end

      # Read what a contact wants to get, by your own id.
      # @return [Preferences]
      def preferences_by_external_id(
        external_id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/contacts/by-external-id/#{Transport.segment("external_id", external_id)}/preferences",
          options: options
        )
      end

      # Unsubscribe a contact, or subscribe it again, by your own id.
      # @param all [Boolean] For every kind that is not named beside it.
      # @param push [Boolean]
      # @param email [Boolean]
      # @param inbox [Boolean]
      # @return [Preferences]
      def update_preferences_by_external_id(
        external_id,
        all: NOT_GIVEN,
        push: NOT_GIVEN,
        email: NOT_GIVEN,
        inbox: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/contacts/by-external-id/#{Transport.segment("external_id", external_id)}/preferences",
          body: { all: all, push: push, email: email, inbox: inbox },
          options: options
        )
      end
    end

    class PublicInbox
      def initialize(transport)
        @transport = transport
      end

      # List the messages of a user's inbox.
      # @param user_id [String] Whose inbox: your own id of the person.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<InboxMessage>]
      def list(
        user_id:,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/public/inbox",
          query: { user_id: user_id, limit: limit, cursor: cursor },
          options: options
        )
      end

      # Count a user's unread messages.
      # @param user_id [String] Whose inbox: your own id of the person.
      # @return [PublicInboxUnreadCountResult]
      def unread_count(
        user_id:,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/public/inbox/unread_count",
          query: { user_id: user_id },
          options: options
        )
      end

      # Mark one message as read.
      # @param user_id [String] Whose inbox: your own id of the person.
      # @return [InboxMessage]
      def read(
        id,
        user_id:,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/public/inbox/#{Transport.segment("id", id)}/read",
          query: { user_id: user_id },
          options: options
        )
      end

      # Mark all of a user's messages as read.
      # @param user_id [String] Whose inbox: your own id of the person.
      # @return [PublicInboxReadAllResult]
      def read_all(
        user_id:,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/public/inbox/read_all",
          query: { user_id: user_id },
          options: options
        )
      end
    end

    class Inbox
      def initialize(transport)
        @transport = transport
      end

      # Write to the inboxes of users.
      # @param user_ids [Array<String>]
      # @param title [String]
      # @param body [String]
      # @param url [String]
      # @param data [Hash]
      # @return [InboxCreateMessagesResult]
      def create_messages(
        user_ids:,
        title: NOT_GIVEN,
        body: NOT_GIVEN,
        url: NOT_GIVEN,
        data: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/inbox/messages",
          body: { user_ids: user_ids, title: title, body: body, url: url, data: data },
          takes_key: true,
          options: options
        )
      end
    end

    class Notifications
      def initialize(transport)
        @transport = transport
      end

      # Cancel a notification.
      # @return [NotificationSummary]
      def cancel(
        id,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/notifications/#{Transport.segment("id", id)}/cancel",
          takes_key: true,
          options: options
        )
      end

      # Pause a notification.
      # @return [NotificationSummary]
      def pause(
        id,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/notifications/#{Transport.segment("id", id)}/pause",
          takes_key: true,
          options: options
        )
      end

      # Resume a paused notification.
      # @return [NotificationSummary]
      def resume(
        id,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/notifications/#{Transport.segment("id", id)}/resume",
          takes_key: true,
          options: options
        )
      end

      # Send a notification.
      # @param to [Audience]
      # @param channels [Array<String>] One of: push, email, inbox.
      # @param content [Content]
      # @param template_id [String]
      # @param variables [Hash]
      # @param ttl [Integer] Seconds for which the message is worth sending. 0 is now or never: one
      #   attempt, within half a minute, and the provider does not keep it.
      # @param priority [String] One of: high, bulk.
      # @param send_at [String, Time] A time with its offset, as `2026-12-24T18:00:00Z` or
      #   `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`.
      # @param local_time [String]
      # @param timezone [String]
      # @param collapse_key [String] Printable ASCII without spaces. Of messages that have the same one,
      #   a device shows the one that the provider took last: the newest, unless an older one had to be
      #   tried again.
      # @param overrides [Overrides]
      # @param track [Tracking]
      # @return [AcceptedNotification]
      def create(
        to:,
        channels: NOT_GIVEN,
        content: NOT_GIVEN,
        template_id: NOT_GIVEN,
        variables: NOT_GIVEN,
        ttl: NOT_GIVEN,
        priority: NOT_GIVEN,
        send_at: NOT_GIVEN,
        local_time: NOT_GIVEN,
        timezone: NOT_GIVEN,
        collapse_key: NOT_GIVEN,
        overrides: NOT_GIVEN,
        track: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/notifications",
          body: { to: to, channels: channels, content: content, template_id: template_id, variables: variables, ttl: ttl, priority: priority, send_at: send_at, local_time: local_time, timezone: timezone, collapse_key: collapse_key, overrides: overrides, track: track },
          takes_key: true,
          options: options
        )
      end

      # List notifications.
      # @param status [String] In this state now. One of: scheduled, queued, sending, paused, completed,
      #   cancelled.
      # @param created_from [String, Time]
      # @param created_to [String, Time]
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<NotificationSummary>]
      def list(
        status: NOT_GIVEN,
        created_from: NOT_GIVEN,
        created_to: NOT_GIVEN,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/notifications",
          query: { status: status, created_from: created_from, created_to: created_to, limit: limit, cursor: cursor },
          options: options
        )
      end

      # See what a notification would do.
      # @param to [Audience]
      # @param channels [Array<String>] One of: push, email, inbox.
      # @param content [Content]
      # @param template_id [String]
      # @param variables [Hash]
      # @param ttl [Integer] Seconds for which the message is worth sending. 0 is now or never: one
      #   attempt, within half a minute, and the provider does not keep it.
      # @param priority [String] One of: high, bulk.
      # @param send_at [String, Time] A time with its offset, as `2026-12-24T18:00:00Z` or
      #   `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`.
      # @param local_time [String]
      # @param timezone [String]
      # @param collapse_key [String] Printable ASCII without spaces. Of messages that have the same one,
      #   a device shows the one that the provider took last: the newest, unless an older one had to be
      #   tried again.
      # @param overrides [Overrides]
      # @param track [Tracking]
      # @return [NotificationPreview]
      def preview(
        to:,
        channels: NOT_GIVEN,
        content: NOT_GIVEN,
        template_id: NOT_GIVEN,
        variables: NOT_GIVEN,
        ttl: NOT_GIVEN,
        priority: NOT_GIVEN,
        send_at: NOT_GIVEN,
        local_time: NOT_GIVEN,
        timezone: NOT_GIVEN,
        collapse_key: NOT_GIVEN,
        overrides: NOT_GIVEN,
        track: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/notifications/preview",
          body: { to: to, channels: channels, content: content, template_id: template_id, variables: variables, ttl: ttl, priority: priority, send_at: send_at, local_time: local_time, timezone: timezone, collapse_key: collapse_key, overrides: overrides, track: track },
          takes_key: true,
          options: options
        )
      end

      # Read a notification and its counts.
      # @return [Notification]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/notifications/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Change a scheduled notification.
      # @param to [Audience]
      # @param channels [Array<String>, nil] One of: push, email, inbox.
      # @param content [Content, nil]
      # @param template_id [String, nil]
      # @param variables [Hash, nil]
      # @param ttl [Integer, nil] Seconds for which the message is worth sending. 0 is now or never: one
      #   attempt, within half a minute, and the provider does not keep it.
      # @param priority [String, nil] One of: high, bulk.
      # @param send_at [String, Time, nil] A time with its offset, as `2026-12-24T18:00:00Z` or
      #   `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`.
      # @param local_time [String, nil]
      # @param timezone [String, nil]
      # @param collapse_key [String, nil] Printable ASCII without spaces. Of messages that have the same
      #   one, a device shows the one that the provider took last: the newest, unless an older one had to
      #   be tried again.
      # @param overrides [Overrides, nil]
      # @param track [Tracking, nil]
      # @return [Notification]
      def update(
        id,
        to: NOT_GIVEN,
        channels: NOT_GIVEN,
        content: NOT_GIVEN,
        template_id: NOT_GIVEN,
        variables: NOT_GIVEN,
        ttl: NOT_GIVEN,
        priority: NOT_GIVEN,
        send_at: NOT_GIVEN,
        local_time: NOT_GIVEN,
        timezone: NOT_GIVEN,
        collapse_key: NOT_GIVEN,
        overrides: NOT_GIVEN,
        track: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/notifications/#{Transport.segment("id", id)}",
          body: { to: to, channels: channels, content: content, template_id: template_id, variables: variables, ttl: ttl, priority: priority, send_at: send_at, local_time: local_time, timezone: timezone, collapse_key: collapse_key, overrides: overrides, track: track },
          options: options
        )
      end

      # List what became of each recipient.
      # @param status [String] One of: sent, failed, skipped, cancelled.
      # @param error [String] Exactly this code, as `unregistered`.
      # @param user_id [String] The devices and channels of the person with this id of the application's
      #   own.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Delivery>]
      def deliveries(
        id,
        status: NOT_GIVEN,
        error: NOT_GIVEN,
        user_id: NOT_GIVEN,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/notifications/#{Transport.segment("id", id)}/deliveries",
          query: { status: status, error: error, user_id: user_id, limit: limit, cursor: cursor },
          options: options
        )
      end

      # Count why recipients ended as they did.
      # @return [Outcomes]
      def outcomes(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/notifications/#{Transport.segment("id", id)}/outcomes",
          options: options
        )
      end

      # Say what pending recipients wait for.
      # @return [Retries]
      def retries(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/notifications/#{Transport.segment("id", id)}/retries",
          options: options
        )
      end

      # Read a notification's counts by provider.
      # @return [NotificationStats]
      def stats(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/notifications/#{Transport.segment("id", id)}/stats",
          options: options
        )
      end

      # List what webhooks were told of a recipient.
      # @param recipient_id [String] The device, or the channel.
      # @return [RecipientWebhookDeliveries]
      def webhook_deliveries(
        id,
        recipient_id:,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/notifications/#{Transport.segment("id", id)}/webhook-deliveries",
          query: { recipient_id: recipient_id },
          options: options
        )
      end
    end

    class Templates
      def initialize(transport)
        @transport = transport
      end

      # Create a template.
      # @param name [String]
      # @param content [Content]
      # @param locales [Hash]
      # @param missing_variables [String] One of: error, empty.
      # @return [Template]
      def create(
        name:,
        content:,
        locales: NOT_GIVEN,
        missing_variables: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/templates",
          body: { name: name, content: content, locales: locales, missing_variables: missing_variables },
          takes_key: true,
          options: options
        )
      end

      # List templates.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Template>]
      def list(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/templates",
          query: { limit: limit, cursor: cursor },
          options: options
        )
      end

      # Fill a template that is not saved.
      # @param content [Content]
      # @param locales [Hash]
      # @param missing_variables [String] One of: error, empty.
      # @param locale [String, nil] Unless given, that of `contact`; null is somebody whose language is
      #   not known.
      # @param variables [Hash]
      # @param device [Hash]
      # @param contact [Hash]
      # @param contact_id [String] Somebody there is, in the place of `contact`; `device`, unless given,
      #   is the one of theirs that was seen last.
      # @return [TemplatePreview]
      def preview_many(
        content:,
        locales: NOT_GIVEN,
        missing_variables: NOT_GIVEN,
        locale: NOT_GIVEN,
        variables: NOT_GIVEN,
        device: NOT_GIVEN,
        contact: NOT_GIVEN,
        contact_id: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/templates/preview",
          body: { content: content, locales: locales, missing_variables: missing_variables, locale: locale, variables: variables, device: device, contact: contact, contact_id: contact_id },
          takes_key: true,
          options: options
        )
      end

      # Read a template.
      # @return [Template]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/templates/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Change a template.
      # @param version [Integer] The version that is changed. Where it is not the latest any more,
      #   nothing is changed, and the answer is 409.
      # @param name [String]
      # @param content [Content]
      # @param locales [Hash]
      # @param missing_variables [String] One of: error, empty.
      # @return [Template]
      def update(
        id,
        version: NOT_GIVEN,
        name: NOT_GIVEN,
        content: NOT_GIVEN,
        locales: NOT_GIVEN,
        missing_variables: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/templates/#{Transport.segment("id", id)}",
          body: { version: version, name: name, content: content, locales: locales, missing_variables: missing_variables },
          options: options
        )
      end

      # Remove a template.
      # @return [Deleted]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/templates/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # List the versions of a template.
      # @return [Pages<TemplateVersionSummary>]
      def versions(
        id,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/templates/#{Transport.segment("id", id)}/versions",
          options: options
        )
      end

      # Read a version of a template.
      # @return [TemplateVersion]
      def get_version(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/templates/versions/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Fill a template for an example.
      # @param locale [String, nil] Unless given, that of `contact`; null is somebody whose language is
      #   not known.
      # @param variables [Hash]
      # @param device [Hash]
      # @param contact [Hash]
      # @param contact_id [String] Somebody there is, in the place of `contact`; `device`, unless given,
      #   is the one of theirs that was seen last.
      # @return [TemplatePreview]
      def preview(
        id,
        locale: NOT_GIVEN,
        variables: NOT_GIVEN,
        device: NOT_GIVEN,
        contact: NOT_GIVEN,
        contact_id: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/templates/#{Transport.segment("id", id)}/preview",
          body: { locale: locale, variables: variables, device: device, contact: contact, contact_id: contact_id },
          takes_key: true,
          options: options
        )
      end
    end

    class Segments
      def initialize(transport)
        @transport = transport
      end

      # Create a segment.
      # @param name [String]
      # @param filter [SegmentFilter]
      # @return [Segment]
      def create(
        name:,
        filter:,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/segments",
          body: { name: name, filter: filter },
          takes_key: true,
          options: options
        )
      end

      # List segments.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Segment>]
      def list(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/segments",
          query: { limit: limit, cursor: cursor },
          options: options
        )
      end

      # Count whom conditions fit now.
      # @param filter [SegmentFilter]
      # @return [SegmentCount]
      def count_many(
        filter:,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/segments/count",
          body: { filter: filter },
          takes_key: true,
          options: options
        )
      end

      # Read a segment.
      # @return [Segment]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/segments/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Change a segment.
      # @param name [String]
      # @param filter [SegmentFilter]
      # @return [Segment]
      def update(
        id,
        name: NOT_GIVEN,
        filter: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/segments/#{Transport.segment("id", id)}",
          body: { name: name, filter: filter },
          options: options
        )
      end

      # Remove a segment.
      # @return [Deleted]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/segments/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Count who is in a segment now.
      # @return [SegmentCount]
      def count(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/segments/#{Transport.segment("id", id)}/count",
          options: options
        )
      end
    end

    class Workflows
      def initialize(transport)
        @transport = transport
      end

      # Create a workflow.
      # @param name [String]
      # @param trigger [WorkflowTrigger]
      # @param steps [Array<WorkflowStep>]
      # @param reentry [String] `always`: as often as triggered. `when_ended`: not while a run of the
      #   person is under way. `once`: never again, whatever became of the run. Whoever may not enter is
      #   passed over. One of: always, when_ended, once.
      # @return [SavedWorkflow]
      def create(
        name:,
        trigger:,
        steps:,
        reentry: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/workflows",
          body: { name: name, trigger: trigger, steps: steps, reentry: reentry },
          takes_key: true,
          options: options
        )
      end

      # List workflows.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @param status [String] One of: draft, active, archived.
      # @return [Pages<Workflow>]
      def list(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        status: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/workflows",
          query: { limit: limit, cursor: cursor, status: status },
          options: options
        )
      end

      # Read a workflow.
      # @return [Workflow]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/workflows/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Change a workflow.
      # @param name [String]
      # @param trigger [WorkflowTrigger]
      # @param steps [Array<WorkflowStep>]
      # @param reentry [String] `always`: as often as triggered. `when_ended`: not while a run of the
      #   person is under way. `once`: never again, whatever became of the run. Whoever may not enter is
      #   passed over. One of: always, when_ended, once.
      # @param version [Integer] Which version was changed: where others have made a later one by now,
      #   the answer is 409.
      # @return [SavedWorkflow]
      def update(
        id,
        name: NOT_GIVEN,
        trigger: NOT_GIVEN,
        steps: NOT_GIVEN,
        reentry: NOT_GIVEN,
        version: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/workflows/#{Transport.segment("id", id)}",
          body: { name: name, trigger: trigger, steps: steps, reentry: reentry, version: version },
          options: options
        )
      end

      # Remove a workflow.
      # @return [Deleted]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/workflows/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Count runs by step.
      # @return [WorkflowStatistics]
      def statistics(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/workflows/#{Transport.segment("id", id)}/statistics",
          options: options
        )
      end

      # List the versions of a workflow.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<WorkflowVersionSummary>]
      def versions(
        id,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/workflows/#{Transport.segment("id", id)}/versions",
          query: { limit: limit, cursor: cursor },
          options: options
        )
      end

      # Read a version of a workflow.
      # @param version [Integer] Its number. Left out: the latest.
      # @return [WorkflowVersion]
      def version(
        id,
        version: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/workflows/#{Transport.segment("id", id)}/version",
          query: { version: version },
          options: options
        )
      end

      # Activate a workflow.
      # @return [SavedWorkflow]
      def activate(
        id,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/workflows/#{Transport.segment("id", id)}/activate",
          takes_key: true,
          options: options
        )
      end

      # Archive a workflow.
      # @return [Workflow]
      def archive(
        id,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/workflows/#{Transport.segment("id", id)}/archive",
          takes_key: true,
          options: options
        )
      end

      # Let people enter a workflow.
      # @param to [TriggerWorkflowTo]
      # @param data [Hash]
      # @return [TriggeredWorkflow]
      def trigger(
        id,
        to:,
        data: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/workflows/#{Transport.segment("id", id)}/trigger",
          body: { to: to, data: data },
          takes_key: true,
          options: options
        )
      end

      # Try a workflow without sending.
      # @param user_id [String] A contact, whose way is tried.
      # @param contact [RehearseWorkflowContact] Somebody made up, in the place of `user_id`.
      # @param data [Hash]
      # @param outcomes [Hash] What becomes of the messages of SEND steps, by key. Left out: `sent`.
      # @param events [Hash] The data of the events that WAIT_FOR steps hear, by key. Left out: none
      #   comes in time.
      # @param answers [Hash] What FETCH steps are answered, by key, each try the same. Left out: 200
      #   without a body. Nobody is asked.
      # @return [WorkflowDryRun]
      def dry_run(
        id,
        user_id: NOT_GIVEN,
        contact: NOT_GIVEN,
        data: NOT_GIVEN,
        outcomes: NOT_GIVEN,
        events: NOT_GIVEN,
        answers: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/workflows/#{Transport.segment("id", id)}/dry-run",
          body: { user_id: user_id, contact: contact, data: data, outcomes: outcomes, events: events, answers: answers },
          takes_key: true,
          options: options
        )
      end
    end

    class Executions
      def initialize(transport)
        @transport = transport
      end

      # List executions.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @param workflow_id [String]
      # @param status [String] One of: running, waiting, completed, filtered, failed, cancelled.
      # @param user_id [String]
      # @return [Pages<Execution>]
      def list(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        workflow_id: NOT_GIVEN,
        status: NOT_GIVEN,
        user_id: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/executions",
          query: { limit: limit, cursor: cursor, workflow_id: workflow_id, status: status, user_id: user_id },
          options: options
        )
      end

      # Read an execution with its history.
      # @return [ExecutionWithHistory]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/executions/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Cancel many executions.
      # @param workflow_id [String]
      # @param user_id [String]
      # @param status [String] One of: waiting, running.
      # @param note [String] Why: it stands in the history of each.
      # @return [CancelledExecutions]
      def cancel_many(
        workflow_id: NOT_GIVEN,
        user_id: NOT_GIVEN,
        status: NOT_GIVEN,
        note: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/executions/cancel",
          body: { workflow_id: workflow_id, user_id: user_id, status: status, note: note },
          takes_key: true,
          options: options
        )
      end

      # Cancel an execution.
      # @return [Execution]
      def cancel(
        id,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/executions/#{Transport.segment("id", id)}/cancel",
          takes_key: true,
          options: options
        )
      end
    end

    class Stats
      def initialize(transport)
        @transport = transport
      end

      # Count what happened, by day and provider.
      # @param from [String]
      # @param to [String]
      # @param group_by [String] `day` unless given. One of: application, day, provider, day_provider.
      # @return [Stats]
      def get(
        from: NOT_GIVEN,
        to: NOT_GIVEN,
        group_by: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/stats",
          query: { from: from, to: to, group_by: group_by },
          options: options
        )
      end
    end

    class Webhooks
      def initialize(transport)
        @transport = transport
      end

      # Create a webhook.
      # @param name [String]
      # @param url [String]
      # @param secret [String, nil]
      # @param events [Array<String>] One of: NOTIFICATION_SENT, NOTIFICATION_FAILED,
      #   NOTIFICATION_DELIVERED, NOTIFICATION_OPENED, NOTIFICATION_CLICKED, WORKFLOW_COMPLETED,
      #   WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
      # @param is_active [Boolean]
      # @return [Webhook]
      def create(
        name:,
        url:,
        secret: NOT_GIVEN,
        events: NOT_GIVEN,
        is_active: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/webhooks",
          body: { name: name, url: url, secret: secret, events: events, is_active: is_active },
          takes_key: true,
          options: options
        )
      end

      # List webhooks.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Webhook>]
      def list(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/webhooks",
          query: { limit: limit, cursor: cursor },
          options: options
        )
      end

      # Read a webhook.
      # @return [Webhook]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/webhooks/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Change a webhook.
      # @param name [String]
      # @param url [String]
      # @param secret [String, nil]
      # @param secret_overlap_seconds [Integer] With a new `secret`: for how long the one before it
      #   signs beside it, as a further `v1`. Left out, or 0: not at all.
      # @param events [Array<String>] One of: NOTIFICATION_SENT, NOTIFICATION_FAILED,
      #   NOTIFICATION_DELIVERED, NOTIFICATION_OPENED, NOTIFICATION_CLICKED, WORKFLOW_COMPLETED,
      #   WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
      # @param is_active [Boolean]
      # @return [Webhook]
      def update(
        id,
        name: NOT_GIVEN,
        url: NOT_GIVEN,
        secret: NOT_GIVEN,
        secret_overlap_seconds: NOT_GIVEN,
        events: NOT_GIVEN,
        is_active: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/webhooks/#{Transport.segment("id", id)}",
          body: { name: name, url: url, secret: secret, secret_overlap_seconds: secret_overlap_seconds, events: events, is_active: is_active },
          options: options
        )
      end

      # Delete a webhook.
      # @return [Deleted]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/webhooks/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Send a test delivery now.
      # @param event [String] Unless given, the first that the webhook subscribes to. One of:
      #   NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
      #   NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED,
      #   WORKFLOW_CANCELLED.
      # @return [WebhookTest]
      def test(
        id,
        event: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/webhooks/#{Transport.segment("id", id)}/test",
          body: { event: event },
          query: {},
          takes_key: true,
          options: options
        )
      end

      # List recent deliveries.
      # @param event [String] One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED,
      #   NOTIFICATION_OPENED, NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED,
      #   WORKFLOW_FAILED, WORKFLOW_CANCELLED.
      # @param status [String] One of: delivered, pending, retrying, exhausted.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<WebhookDelivery>]
      def deliveries(
        id,
        event: NOT_GIVEN,
        status: NOT_GIVEN,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/webhooks/#{Transport.segment("id", id)}/deliveries",
          query: { event: event, status: status, limit: limit, cursor: cursor },
          options: options
        )
      end

      # Read a delivery with its body.
      # @param event_id [String] As the list of deliveries has it.
      # @return [WebhookDeliveryWithBody]
      def delivery(
        id,
        event_id:,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/webhooks/#{Transport.segment("id", id)}/delivery",
          query: { event_id: event_id },
          options: options
        )
      end

      # Deliver again what a webhook's receiver missed.
      # @param from [String, Time]
      # @param to [String, Time]
      # @param status [String] `exhausted`, the default: what the receiver missed. `delivered`: what it
      #   has taken already. One of: exhausted, delivered.
      # @param delivery_id [String] This one alone: the `event_id` of the list of deliveries. Nothing
      #   else is named beside it.
      # @return [Redelivery]
      def redeliver(
        id,
        from: NOT_GIVEN,
        to: NOT_GIVEN,
        status: NOT_GIVEN,
        delivery_id: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/webhooks/#{Transport.segment("id", id)}/redeliver",
          body: { from: from, to: to, status: status, delivery_id: delivery_id },
          takes_key: true,
          options: options
        )
      end

      # Follow a redelivery.
      # @return [Redelivery]
      def get_redelivery(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/webhooks/redeliveries/#{Transport.segment("id", id)}",
          options: options
        )
      end
    end

    class DeadLetters
      def initialize(transport)
        @transport = transport
      end

      # List dead letters.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @param kind [String] One of: notification, webhook.
      # @param webhook_id [String]
      # @param notification_id [String]
      # @param provider [String] One of: apns, fcm, webpush, smtp, inbox.
      # @param error [String] The whole text of `error`.
      # @param from [String, Time]
      # @param to [String, Time]
      # @return [Pages<DeadLetter>]
      def list(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        kind: NOT_GIVEN,
        webhook_id: NOT_GIVEN,
        notification_id: NOT_GIVEN,
        provider: NOT_GIVEN,
        error: NOT_GIVEN,
        from: NOT_GIVEN,
        to: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/dead-letters",
          query: { limit: limit, cursor: cursor, kind: kind, webhook_id: webhook_id, notification_id: notification_id, provider: provider, error: error, from: from, to: to },
          options: options
        )
      end

      # Read a dead letter with its content.
      # @return [DeadLetterWithContent]
      def get(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/dead-letters/#{Transport.segment("id", id)}",
          options: options
        )
      end

      # Send a dead letter again.
      # @return [DeadLettersReplayResult]
      def replay(
        id,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/dead-letters/#{Transport.segment("id", id)}/replay",
          takes_key: true,
          options: options
        )
      end

      # Send many dead letters again.
      # @param kind [String] One of: notification, webhook.
      # @param webhook_id [String]
      # @param notification_id [String]
      # @param provider [String] One of: apns, fcm, webpush, smtp, inbox.
      # @param error [String] The whole text of `error`.
      # @param from [String, Time]
      # @param to [String, Time]
      # @return [Replay]
      def replay_many(
        kind: NOT_GIVEN,
        webhook_id: NOT_GIVEN,
        notification_id: NOT_GIVEN,
        provider: NOT_GIVEN,
        error: NOT_GIVEN,
        from: NOT_GIVEN,
        to: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/dead-letters/replay",
          body: { kind: kind, webhook_id: webhook_id, notification_id: notification_id, provider: provider, error: error, from: from, to: to },
          takes_key: true,
          options: options
        )
      end

      # List replays.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<Replay>]
      def replays(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/dead-letters/replays",
          query: { limit: limit, cursor: cursor },
          options: options
        )
      end

      # Follow a replay.
      # @return [Replay]
      def get_replay(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/dead-letters/replays/#{Transport.segment("id", id)}",
          options: options
        )
      end
    end

    class Credentials
      def initialize(transport)
        @transport = transport
      end

      # List provider credentials.
      # @return [Pages<Credential>]
      def list(
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/credentials",
          options: options
        )
      end

      # Set the APNs credential.
      # @param team_id [String]
      # @param key_id [String]
      # @param private_key [String]
      # @param bundle_id [String]
      # @param endpoint [String]
      # @param sandbox_endpoint [String]
      # @return [Credential]
      def set_apns(
        team_id:,
        key_id:,
        private_key:,
        bundle_id:,
        endpoint: NOT_GIVEN,
        sandbox_endpoint: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PUT",
          "/api/v1/credentials/apns",
          body: { team_id: team_id, key_id: key_id, private_key: private_key, bundle_id: bundle_id, endpoint: endpoint, sandbox_endpoint: sandbox_endpoint },
          options: options
        )
      end

      # Read the APNs credential.
      # @return [Credential]
      def get_apns(
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/credentials/apns",
          options: options
        )
      end

      # Remove the APNs credential.
      # @return [Deleted]
      def delete_apns(
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/credentials/apns",
          options: options
        )
      end

      # Check the APNs credential.
      # @return [CredentialCheck]
      def check_apns(
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/credentials/apns/check",
          takes_key: true,
          options: options
        )
      end

      # Set the FCM credential.
      # @param service_account [CredentialsSetFcmBodyServiceAccount]
      # @param endpoint [String]
      # @param type [String] One of: service_account.
      # @param project_id [String]
      # @param client_email [String]
      # @param private_key [String]
      # @param token_uri [String]
      # @return [Credential]
      def set_fcm(
        service_account: NOT_GIVEN,
        endpoint: NOT_GIVEN,
        type: NOT_GIVEN,
        project_id: NOT_GIVEN,
        client_email: NOT_GIVEN,
        private_key: NOT_GIVEN,
        token_uri: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PUT",
          "/api/v1/credentials/fcm",
          body: { service_account: service_account, endpoint: endpoint, type: type, project_id: project_id, client_email: client_email, private_key: private_key, token_uri: token_uri },
          options: options
        )
      end

      # Read the FCM credential.
      # @return [Credential]
      def get_fcm(
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/credentials/fcm",
          options: options
        )
      end

      # Remove the FCM credential.
      # @return [Deleted]
      def delete_fcm(
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/credentials/fcm",
          options: options
        )
      end

      # Check the FCM credential.
      # @return [CredentialCheck]
      def check_fcm(
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/credentials/fcm/check",
          takes_key: true,
          options: options
        )
      end

      # Set the Web Push credential.
      # @param subject [String]
      # @param public_key [String]
      # @param private_key [String]
      # @return [Credential]
      def set_webpush(
        subject:,
        public_key: NOT_GIVEN,
        private_key: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PUT",
          "/api/v1/credentials/webpush",
          body: { subject: subject, public_key: public_key, private_key: private_key },
          options: options
        )
      end

      # Read the Web Push credential.
      # @return [Credential]
      def get_webpush(
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/credentials/webpush",
          options: options
        )
      end

      # Remove the Web Push credential.
      # @return [Deleted]
      def delete_webpush(
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/credentials/webpush",
          options: options
        )
      end

      # Check the Web Push credential.
      # @return [CredentialCheck]
      def check_webpush(
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/credentials/webpush/check",
          takes_key: true,
          options: options
        )
      end

      # Set the e-mail credential.
      # @param url [String]
      # @param from [String]
      # @return [Credential]
      def set_smtp(
        url:,
        from:,
        options: {}
      )
        @transport.value(
          "PUT",
          "/api/v1/credentials/smtp",
          body: { url: url, from: from },
          options: options
        )
      end

      # Read the e-mail credential.
      # @return [Credential]
      def get_smtp(
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/credentials/smtp",
          options: options
        )
      end

      # Remove the e-mail credential.
      # @return [Deleted]
      def delete_smtp(
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/credentials/smtp",
          options: options
        )
      end

      # Check the e-mail credential.
      # @return [CredentialCheck]
      def check_smtp(
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/credentials/smtp/check",
          takes_key: true,
          options: options
        )
      end
    end

    class PublicApps
      def initialize(transport)
        @transport = transport
      end

      # Read the key that browsers subscribe with.
      # @return [PublicAppsVapidResult]
      def vapid(
        id,
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/public/apps/#{Transport.segment("id", id)}/vapid",
          options: options
        )
      end
    end

    class Application
      def initialize(transport)
        @transport = transport
      end

      # Read the application and its options.
      # @return [Application]
      def get(
        options: {}
      )
        @transport.value(
          "GET",
          "/api/v1/application",
          options: options
        )
      end

      # Change the application's options.
      # @param name [String]
      # @param identity_verification [Boolean]
      # @return [Application]
      def update(
        name: NOT_GIVEN,
        identity_verification: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "PATCH",
          "/api/v1/application",
          body: { name: name, identity_verification: identity_verification },
          options: options
        )
      end

      # Issue a new identity secret.
      # @param overlap_seconds [Integer]
      # @return [ApplicationCreateIdentitySecretResult]
      def create_identity_secret(
        overlap_seconds: NOT_GIVEN,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/application/identity-secret",
          body: { overlap_seconds: overlap_seconds },
          takes_key: true,
          options: options
        )
      end
    end

    class ApiKeys
      def initialize(transport)
        @transport = transport
      end

      # List API keys.
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<ApiKey>]
      def list(
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/api-keys",
          query: { limit: limit, cursor: cursor },
          options: options
        )
      end

      # Create an API key.
      # @param kind [String] One of: secret, public.
      # @param name [String]
      # @return [NewApiKey]
      def create(
        kind:,
        name:,
        options: {}
      )
        @transport.value(
          "POST",
          "/api/v1/api-keys",
          body: { kind: kind, name: name },
          takes_key: true,
          options: options
        )
      end

      # Revoke an API key.
      # @return [ApiKeysDeleteResult]
      def delete(
        id,
        options: {}
      )
        @transport.value(
          "DELETE",
          "/api/v1/api-keys/#{Transport.segment("id", id)}",
          options: options
        )
      end
    end

    class AuditLog
      def initialize(transport)
        @transport = transport
      end

      # List who changed what.
      # @param actor_id [String] Made by this key, person or system's user.
      # @param action [String] Such changes. One of: application.created, application.changed,
      #   identity_secret.issued, api_key.created, api_key.revoked, credential.set, credential.removed,
      #   credential.checked, template.created, template.changed, template.deleted, segment.created,
      #   segment.changed, segment.deleted, contact.created, contact.changed, contact.deleted,
      #   contacts.imported, device.registered, device.changed, device.deleted, devices.imported,
      #   devices.exported, channel.created, channel.changed, channel.deleted, inbox_messages.posted,
      #   webhook.created, webhook.changed, webhook.deleted, webhook.disabled, webhook.tested,
      #   webhook.redelivered, dead_letter.replayed, dead_letters.replayed, notification.created,
      #   notification.changed, notification.paused, notification.resumed, notification.cancelled,
      #   workflow.created, workflow.changed, workflow.activated, workflow.archived, workflow.deleted,
      #   workflow.triggered, execution.cancelled, executions.cancelled, event.raised.
      # @param target [String] Of this: an id, or a credential's kind.
      # @param from [String, Time]
      # @param to [String, Time]
      # @param limit [Integer] How many to return, at most. 50 unless given.
      # @param cursor [String] `next_cursor` of the page before. Leave it out for the first page.
      # @return [Pages<AuditEntry>]
      def list(
        actor_id: NOT_GIVEN,
        action: NOT_GIVEN,
        target: NOT_GIVEN,
        from: NOT_GIVEN,
        to: NOT_GIVEN,
        limit: NOT_GIVEN,
        cursor: NOT_GIVEN,
        options: {}
      )
        @transport.pages(
          "GET",
          "/api/v1/audit-log",
          query: { actor_id: actor_id, action: action, target: target, from: from, to: to, limit: limit, cursor: cursor },
          options: options
        )
      end
    end
  end
end
