# Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Dict, Iterable, List, Literal, Optional, Union

from .._core import NOT_GIVEN, NotGiven, RequestOptions, segment
from .._pages import AsyncPages
from .types import (
    AcceptedNotification,
    ApiKey,
    ApiKeysDeleteResult,
    Application,
    ApplicationCreateIdentitySecretResult,
    Audience,
    AuditEntry,
    CancelledExecutions,
    Channel,
    ChannelsCreateResult,
    Contact,
    ContactsBulkResult,
    ContactsCreateResult,
    ContactsTagsManyResult,
    Content,
    Credential,
    CredentialCheck,
    CredentialsSetFcmBodyServiceAccount,
    DeadLetter,
    DeadLetterWithContent,
    DeadLettersReplayResult,
    Deleted,
    Delivery,
    Device,
    EventsCreateResult,
    Execution,
    ExecutionWithHistory,
    ImportResult,
    InboxCreateMessagesResult,
    InboxMessage,
    NewApiKey,
    Notification,
    NotificationPreview,
    NotificationStats,
    NotificationSummary,
    Outcomes,
    Overrides,
    Preferences,
    PublicAppsVapidResult,
    PublicDevicesCreateResult,
    PublicDevicesDeleteResult,
    PublicInboxReadAllResult,
    PublicInboxUnreadCountResult,
    RaisedEvent,
    RecipientWebhookDeliveries,
    Redelivery,
    RegisterDevice,
    RehearseWorkflowContact,
    Replay,
    Retries,
    SavedWorkflow,
    Segment,
    SegmentCount,
    SegmentFilter,
    Stats,
    Template,
    TemplatePreview,
    TemplateVersion,
    TemplateVersionSummary,
    TrackCreateResult,
    Tracking,
    TriggerWorkflowTo,
    TriggeredWorkflow,
    UpsertContact,
    Webhook,
    WebhookDelivery,
    WebhookDeliveryWithBody,
    WebhookTest,
    Workflow,
    WorkflowDryRun,
    WorkflowStatistics,
    WorkflowStep,
    WorkflowTrigger,
    WorkflowVersion,
    WorkflowVersionSummary,
)

if TYPE_CHECKING:
    from .._async import AsyncTransport


class AsyncPublicDevicesResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        token: str,
        platform: Literal["ios", "android", "web"],
        previous_token: Union[str, NotGiven] = NOT_GIVEN,
        user_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        tags: Union[List[str], NotGiven] = NOT_GIVEN,
        timezone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        environment: Union[Literal["production", "sandbox"], NotGiven] = NOT_GIVEN,
        metadata: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        web_push_p256dh: Union[Optional[str], NotGiven] = NOT_GIVEN,
        web_push_auth: Union[Optional[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> PublicDevicesCreateResult:
        """Register or refresh a device.

        previous_token: The token that this device had until now, where the platform has given
            it a new one: its row is kept. The row of a person is kept for the same `user_id` alone.
        user_id: Your own id of the person: any text but `.` and `..`, which no path can hold.
        """
        return await self._client._value(
            "POST",
            "/api/v1/public/devices",
            body={"token": token, "platform": platform, "previous_token": previous_token, "user_id": user_id, "tags": tags, "timezone": timezone, "environment": environment, "metadata": metadata, "web_push_p256dh": web_push_p256dh, "web_push_auth": web_push_auth},
            options=options,
        )

    async def delete(
        self,
        *,
        token: str,
        options: Optional[RequestOptions] = None,
    ) -> PublicDevicesDeleteResult:
        """Remove a device by its token."""
        return await self._client._value(
            "DELETE",
            "/api/v1/public/devices",
            body={"token": token},
            options=options,
        )


class AsyncDevicesResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    def list(
        self,
        *,
        platform: Optional[Literal["ios", "android", "web"]] = None,
        environment: Optional[Literal["production", "sandbox"]] = None,
        status: Optional[Literal["active", "invalid"]] = None,
        user_id: Optional[str] = None,
        tags_any: Optional[List[str]] = None,
        tags_all: Optional[List[str]] = None,
        created_from: Optional[Union[datetime, str]] = None,
        created_before: Optional[Union[datetime, str]] = None,
        last_seen_from: Optional[Union[datetime, str]] = None,
        last_seen_before: Optional[Union[datetime, str]] = None,
        segment_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Device]:
        """List devices.

        tags_any: With one of these tags at least; repeat the parameter for several.
        tags_all: With all of these tags.
        segment_id: Whom this segment holds now; beside other filters, whom all of them fit.
        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/devices",
            query={"platform": platform, "environment": environment, "status": status, "user_id": user_id, "tags_any": tags_any, "tags_all": tags_all, "created_from": created_from, "created_before": created_before, "last_seen_from": last_seen_from, "last_seen_before": last_seen_before, "segment_id": segment_id, "limit": limit, "cursor": cursor},
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Device:
        """Read a device."""
        return await self._client._value(
            "GET",
            f"/api/v1/devices/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        user_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        tags: Union[List[str], NotGiven] = NOT_GIVEN,
        timezone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        environment: Union[Literal["production", "sandbox"], NotGiven] = NOT_GIVEN,
        metadata: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Device:
        """Change a device.

        user_id: Your own id of the person: any text but `.` and `..`, which no path can hold.
        """
        return await self._client._value(
            "PATCH",
            f"/api/v1/devices/{segment('id', id)}",
            body={"user_id": user_id, "tags": tags, "timezone": timezone, "environment": environment, "metadata": metadata},
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove a device."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/devices/{segment('id', id)}",
            options=options,
        )

    def import_(
        self,
        lines: Union[Iterable[Union[RegisterDevice, str]], AsyncIterable[Union[RegisterDevice, str]]],
        *,
        options: Optional[RequestOptions] = None,
    ) -> AsyncIterator[ImportResult]:
        """Register many devices."""
        return self._client._send_lines(
            "POST",
            "/api/v1/devices/import",
            lines,
            options=options,
        )

    def export(
        self,
        *,
        platform: Optional[Literal["ios", "android", "web"]] = None,
        environment: Optional[Literal["production", "sandbox"]] = None,
        status: Optional[Literal["active", "invalid"]] = None,
        user_id: Optional[str] = None,
        tags_any: Optional[List[str]] = None,
        tags_all: Optional[List[str]] = None,
        created_from: Optional[Union[datetime, str]] = None,
        created_before: Optional[Union[datetime, str]] = None,
        last_seen_from: Optional[Union[datetime, str]] = None,
        last_seen_before: Optional[Union[datetime, str]] = None,
        segment_id: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncIterator[Device]:
        """Export devices.

        tags_any: With one of these tags at least; repeat the parameter for several.
        tags_all: With all of these tags.
        segment_id: Whom this segment holds now; beside other filters, whom all of them fit.
        """
        return self._client._lines(
            "GET",
            "/api/v1/devices/export",
            query={"platform": platform, "environment": environment, "status": status, "user_id": user_id, "tags_any": tags_any, "tags_all": tags_all, "created_from": created_from, "created_before": created_before, "last_seen_from": last_seen_from, "last_seen_before": last_seen_before, "segment_id": segment_id},
            options=options,
        )


class AsyncEventsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        type: Literal["delivered", "opened", "clicked"],
        notification_id: str,
        device_id: str,
        destination: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> EventsCreateResult:
        """Report that a push was delivered, opened or clicked."""
        return await self._client._value(
            "POST",
            "/api/v1/events",
            body={"type": type, "notification_id": notification_id, "device_id": device_id, "destination": destination},
            options=options,
        )

    async def custom(
        self,
        *,
        event: str,
        user_id: str,
        data: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> RaisedEvent:
        """Raise an event of your own.

        user_id: Your own id of the person: any text but `.` and `..`, which no path can hold.
        """
        return await self._client._value(
            "POST",
            "/api/v1/events/custom",
            body={"event": event, "user_id": user_id, "data": data},
            takes_key=True,
            options=options,
        )


class AsyncTrackResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        notification_id: str,
        device_id: str,
        options: Optional[RequestOptions] = None,
    ) -> TrackCreateResult:
        """Confirm that a push was delivered."""
        return await self._client._value(
            "POST",
            "/api/v1/track",
            body={"notification_id": notification_id, "device_id": device_id},
            options=options,
        )


class AsyncChannelsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        kind: Literal["email", "inbox"],
        address: Union[str, NotGiven] = NOT_GIVEN,
        user_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> ChannelsCreateResult:
        """Create a channel.

        user_id: Your own id of the person: any text but `.` and `..`, which no path can hold.
        """
        return await self._client._value(
            "POST",
            "/api/v1/channels",
            body={"kind": kind, "address": address, "user_id": user_id},
            takes_key=True,
            options=options,
        )

    def list(
        self,
        *,
        status: Optional[Literal["active", "suppressed", "unsubscribed"]] = None,
        contact_id: Optional[str] = None,
        address: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Channel]:
        """List channels.

        address: Compared without case.
        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/channels",
            query={"status": status, "contact_id": contact_id, "address": address, "limit": limit, "cursor": cursor},
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Channel:
        """Read a channel."""
        return await self._client._value(
            "GET",
            f"/api/v1/channels/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        status: Literal["active", "unsubscribed"],
        options: Optional[RequestOptions] = None,
    ) -> Channel:
        """Unsubscribe a channel, or subscribe it again."""
        return await self._client._value(
            "PATCH",
            f"/api/v1/channels/{segment('id', id)}",
            body={"status": status},
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove a channel."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/channels/{segment('id', id)}",
            options=options,
        )


class AsyncContactsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        external_id: str,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        attributes: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        tags: Union[List[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timezone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> ContactsCreateResult:
        """Create or update a contact.

        external_id: Your own id of the person: any text but `.` and `..`, which no path can
            hold.
        """
        return await self._client._value(
            "POST",
            "/api/v1/contacts",
            body={"external_id": external_id, "email": email, "attributes": attributes, "tags": tags, "locale": locale, "timezone": timezone},
            takes_key=True,
            options=options,
        )

    def list(
        self,
        *,
        external_id: Optional[str] = None,
        tag: Optional[str] = None,
        segment_id: Optional[str] = None,
        search: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Contact]:
        """List contacts.

        segment_id: Whom this segment holds now; beside other filters, whom all of them fit.
        search: Those whose `external_id`, e-mail address or attribute `name` begins so,
            whatever the case; in the order of what they are found by. Not beside other filters.
        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/contacts",
            query={"external_id": external_id, "tag": tag, "segment_id": segment_id, "search": search, "limit": limit, "cursor": cursor},
            options=options,
        )

    async def bulk(
        self,
        *,
        contacts: List[Dict[str, Any]],
        options: Optional[RequestOptions] = None,
    ) -> ContactsBulkResult:
        """Create or update up to 1,000 contacts.

        contacts: Each as POST /contacts takes it.
        """
        return await self._client._value(
            "POST",
            "/api/v1/contacts/bulk",
            body={"contacts": contacts},
            takes_key=True,
            options=options,
        )

    async def tags_many(
        self,
        *,
        external_ids: List[str],
        add: Union[List[str], NotGiven] = NOT_GIVEN,
        remove: Union[List[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> ContactsTagsManyResult:
        """Add and remove tags of many contacts."""
        return await self._client._value(
            "POST",
            "/api/v1/contacts/tags",
            body={"external_ids": external_ids, "add": add, "remove": remove},
            takes_key=True,
            options=options,
        )

    def import_(
        self,
        lines: Union[Iterable[Union[UpsertContact, str]], AsyncIterable[Union[UpsertContact, str]]],
        *,
        options: Optional[RequestOptions] = None,
    ) -> AsyncIterator[ImportResult]:
        """Create or update many contacts."""
        return self._client._send_lines(
            "POST",
            "/api/v1/contacts/import",
            lines,
            options=options,
        )

    async def tags(
        self,
        id: str,
        *,
        add: Union[List[str], NotGiven] = NOT_GIVEN,
        remove: Union[List[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Contact:
        """Add and remove tags of a contact."""
        return await self._client._value(
            "POST",
            f"/api/v1/contacts/{segment('id', id)}/tags",
            body={"add": add, "remove": remove},
            takes_key=True,
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Contact:
        """Read a contact."""
        return await self._client._value(
            "GET",
            f"/api/v1/contacts/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        attributes: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        tags: Union[List[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timezone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Contact:
        """Update a contact."""
        return await self._client._value(
            "PATCH",
            f"/api/v1/contacts/{segment('id', id)}",
            body={"email": email, "attributes": attributes, "tags": tags, "locale": locale, "timezone": timezone},
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Delete a person."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/contacts/{segment('id', id)}",
            options=options,
        )

    async def preferences(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Preferences:
        """Read what a contact wants to get."""
        return await self._client._value(
            "GET",
            f"/api/v1/contacts/{segment('id', id)}/preferences",
            options=options,
        )

    async def update_preferences(
        self,
        id: str,
        *,
        all: Union[bool, NotGiven] = NOT_GIVEN,
        push: Union[bool, NotGiven] = NOT_GIVEN,
        email: Union[bool, NotGiven] = NOT_GIVEN,
        inbox: Union[bool, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Preferences:
        """Unsubscribe a contact, or subscribe it again.

        all: For every kind that is not named beside it.
        """
        return await self._client._value(
            "PATCH",
            f"/api/v1/contacts/{segment('id', id)}/preferences",
            body={"all": all, "push": push, "email": email, "inbox": inbox},
            options=options,
        )

    async def tags_by_external_id(
        self,
        external_id: str,
        *,
        add: Union[List[str], NotGiven] = NOT_GIVEN,
        remove: Union[List[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Contact:
        """Add and remove tags of a contact, by your own id."""
        return await self._client._value(
            "POST",
            f"/api/v1/contacts/by-external-id/{segment('external_id', external_id)}/tags",
            body={"add": add, "remove": remove},
            takes_key=True,
            options=options,
        )

    async def get_by_external_id(
        self,
        external_id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Contact:
        """Read a contact, by your own id."""
        return await self._client._value(
            "GET",
            f"/api/v1/contacts/by-external-id/{segment('external_id', external_id)}",
            options=options,
        )

    async def update_by_external_id(
        self,
        external_id: str,
        *,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        attributes: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        tags: Union[List[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timezone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Contact:
        """Update a contact, by your own id."""
        return await self._client._value(
            "PATCH",
            f"/api/v1/contacts/by-external-id/{segment('external_id', external_id)}",
            body={"email": email, "attributes": attributes, "tags": tags, "locale": locale, "timezone": timezone},
            options=options,
        )

    async def delete_by_external_id(
        self,
        external_id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Delete a person, by your own id."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/contacts/by-external-id/{segment('external_id', external_id)}",
            options=options,
        )

    async def preferences_by_external_id(
        self,
        external_id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Preferences:
        """Read what a contact wants to get, by your own id."""
        return await self._client._value(
            "GET",
            f"/api/v1/contacts/by-external-id/{segment('external_id', external_id)}/preferences",
            options=options,
        )

    async def update_preferences_by_external_id(
        self,
        external_id: str,
        *,
        all: Union[bool, NotGiven] = NOT_GIVEN,
        push: Union[bool, NotGiven] = NOT_GIVEN,
        email: Union[bool, NotGiven] = NOT_GIVEN,
        inbox: Union[bool, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Preferences:
        """Unsubscribe a contact, or subscribe it again, by your own id.

        all: For every kind that is not named beside it.
        """
        return await self._client._value(
            "PATCH",
            f"/api/v1/contacts/by-external-id/{segment('external_id', external_id)}/preferences",
            body={"all": all, "push": push, "email": email, "inbox": inbox},
            options=options,
        )


class AsyncPublicInboxResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    def list(
        self,
        *,
        user_id: str,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[InboxMessage]:
        """List the messages of a user's inbox.

        user_id: Whose inbox: your own id of the person.
        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/public/inbox",
            query={"user_id": user_id, "limit": limit, "cursor": cursor},
            options=options,
        )

    async def unread_count(
        self,
        *,
        user_id: str,
        options: Optional[RequestOptions] = None,
    ) -> PublicInboxUnreadCountResult:
        """Count a user's unread messages.

        user_id: Whose inbox: your own id of the person.
        """
        return await self._client._value(
            "GET",
            "/api/v1/public/inbox/unread_count",
            query={"user_id": user_id},
            options=options,
        )

    async def read(
        self,
        id: str,
        *,
        user_id: str,
        options: Optional[RequestOptions] = None,
    ) -> InboxMessage:
        """Mark one message as read.

        user_id: Whose inbox: your own id of the person.
        """
        return await self._client._value(
            "POST",
            f"/api/v1/public/inbox/{segment('id', id)}/read",
            query={"user_id": user_id},
            options=options,
        )

    async def read_all(
        self,
        *,
        user_id: str,
        options: Optional[RequestOptions] = None,
    ) -> PublicInboxReadAllResult:
        """Mark all of a user's messages as read.

        user_id: Whose inbox: your own id of the person.
        """
        return await self._client._value(
            "POST",
            "/api/v1/public/inbox/read_all",
            query={"user_id": user_id},
            options=options,
        )


class AsyncInboxResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create_messages(
        self,
        *,
        user_ids: List[str],
        title: Union[str, NotGiven] = NOT_GIVEN,
        body: Union[str, NotGiven] = NOT_GIVEN,
        url: Union[str, NotGiven] = NOT_GIVEN,
        data: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> InboxCreateMessagesResult:
        """Write to the inboxes of users."""
        return await self._client._value(
            "POST",
            "/api/v1/inbox/messages",
            body={"user_ids": user_ids, "title": title, "body": body, "url": url, "data": data},
            takes_key=True,
            options=options,
        )


class AsyncNotificationsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def cancel(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> NotificationSummary:
        """Cancel a notification."""
        return await self._client._value(
            "POST",
            f"/api/v1/notifications/{segment('id', id)}/cancel",
            takes_key=True,
            options=options,
        )

    async def pause(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> NotificationSummary:
        """Pause a notification."""
        return await self._client._value(
            "POST",
            f"/api/v1/notifications/{segment('id', id)}/pause",
            takes_key=True,
            options=options,
        )

    async def resume(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> NotificationSummary:
        """Resume a paused notification."""
        return await self._client._value(
            "POST",
            f"/api/v1/notifications/{segment('id', id)}/resume",
            takes_key=True,
            options=options,
        )

    async def create(
        self,
        *,
        to: Audience,
        channels: Union[List[Literal["push", "email", "inbox"]], NotGiven] = NOT_GIVEN,
        content: Union[Content, NotGiven] = NOT_GIVEN,
        template_id: Union[str, NotGiven] = NOT_GIVEN,
        variables: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        ttl: Union[int, NotGiven] = NOT_GIVEN,
        priority: Union[Literal["high", "bulk"], NotGiven] = NOT_GIVEN,
        send_at: Union[Union[datetime, str], NotGiven] = NOT_GIVEN,
        local_time: Union[str, NotGiven] = NOT_GIVEN,
        timezone: Union[str, NotGiven] = NOT_GIVEN,
        collapse_key: Union[str, NotGiven] = NOT_GIVEN,
        overrides: Union[Overrides, NotGiven] = NOT_GIVEN,
        track: Union[Tracking, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> AcceptedNotification:
        """Send a notification.

        ttl: Seconds for which the message is worth sending. 0 is now or never: one attempt,
            within half a minute, and the provider does not keep it.
        send_at: A time with its offset, as `2026-12-24T18:00:00Z` or
            `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`.
        collapse_key: Printable ASCII without spaces. Of messages that have the same one, a
            device shows the one that the provider took last: the newest, unless an older one had to
            be tried again.
        """
        return await self._client._value(
            "POST",
            "/api/v1/notifications",
            body={"to": to, "channels": channels, "content": content, "template_id": template_id, "variables": variables, "ttl": ttl, "priority": priority, "send_at": send_at, "local_time": local_time, "timezone": timezone, "collapse_key": collapse_key, "overrides": overrides, "track": track},
            takes_key=True,
            options=options,
        )

    def list(
        self,
        *,
        status: Optional[Literal["scheduled", "queued", "sending", "paused", "completed", "cancelled"]] = None,
        created_from: Optional[Union[datetime, str]] = None,
        created_to: Optional[Union[datetime, str]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[NotificationSummary]:
        """List notifications.

        status: In this state now.
        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/notifications",
            query={"status": status, "created_from": created_from, "created_to": created_to, "limit": limit, "cursor": cursor},
            options=options,
        )

    async def preview(
        self,
        *,
        to: Audience,
        channels: Union[List[Literal["push", "email", "inbox"]], NotGiven] = NOT_GIVEN,
        content: Union[Content, NotGiven] = NOT_GIVEN,
        template_id: Union[str, NotGiven] = NOT_GIVEN,
        variables: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        ttl: Union[int, NotGiven] = NOT_GIVEN,
        priority: Union[Literal["high", "bulk"], NotGiven] = NOT_GIVEN,
        send_at: Union[Union[datetime, str], NotGiven] = NOT_GIVEN,
        local_time: Union[str, NotGiven] = NOT_GIVEN,
        timezone: Union[str, NotGiven] = NOT_GIVEN,
        collapse_key: Union[str, NotGiven] = NOT_GIVEN,
        overrides: Union[Overrides, NotGiven] = NOT_GIVEN,
        track: Union[Tracking, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> NotificationPreview:
        """See what a notification would do.

        ttl: Seconds for which the message is worth sending. 0 is now or never: one attempt,
            within half a minute, and the provider does not keep it.
        send_at: A time with its offset, as `2026-12-24T18:00:00Z` or
            `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`.
        collapse_key: Printable ASCII without spaces. Of messages that have the same one, a
            device shows the one that the provider took last: the newest, unless an older one had to
            be tried again.
        """
        return await self._client._value(
            "POST",
            "/api/v1/notifications/preview",
            body={"to": to, "channels": channels, "content": content, "template_id": template_id, "variables": variables, "ttl": ttl, "priority": priority, "send_at": send_at, "local_time": local_time, "timezone": timezone, "collapse_key": collapse_key, "overrides": overrides, "track": track},
            takes_key=True,
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Notification:
        """Read a notification and its counts."""
        return await self._client._value(
            "GET",
            f"/api/v1/notifications/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        to: Union[Audience, NotGiven] = NOT_GIVEN,
        channels: Union[Optional[List[Literal["push", "email", "inbox"]]], NotGiven] = NOT_GIVEN,
        content: Union[Optional[Content], NotGiven] = NOT_GIVEN,
        template_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        variables: Union[Optional[Dict[str, Any]], NotGiven] = NOT_GIVEN,
        ttl: Union[Optional[int], NotGiven] = NOT_GIVEN,
        priority: Union[Optional[Literal["high", "bulk"]], NotGiven] = NOT_GIVEN,
        send_at: Union[Optional[Union[datetime, str]], NotGiven] = NOT_GIVEN,
        local_time: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timezone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        collapse_key: Union[Optional[str], NotGiven] = NOT_GIVEN,
        overrides: Union[Optional[Overrides], NotGiven] = NOT_GIVEN,
        track: Union[Optional[Tracking], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Notification:
        """Change a scheduled notification.

        ttl: Seconds for which the message is worth sending. 0 is now or never: one attempt,
            within half a minute, and the provider does not keep it.
        send_at: A time with its offset, as `2026-12-24T18:00:00Z` or
            `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`.
        collapse_key: Printable ASCII without spaces. Of messages that have the same one, a
            device shows the one that the provider took last: the newest, unless an older one had to
            be tried again.
        """
        return await self._client._value(
            "PATCH",
            f"/api/v1/notifications/{segment('id', id)}",
            body={"to": to, "channels": channels, "content": content, "template_id": template_id, "variables": variables, "ttl": ttl, "priority": priority, "send_at": send_at, "local_time": local_time, "timezone": timezone, "collapse_key": collapse_key, "overrides": overrides, "track": track},
            options=options,
        )

    def deliveries(
        self,
        id: str,
        *,
        status: Optional[Literal["sent", "failed", "skipped", "cancelled"]] = None,
        error: Optional[str] = None,
        user_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Delivery]:
        """List what became of each recipient.

        error: Exactly this code, as `unregistered`.
        user_id: The devices and channels of the person with this id of the application's own.
        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            f"/api/v1/notifications/{segment('id', id)}/deliveries",
            query={"status": status, "error": error, "user_id": user_id, "limit": limit, "cursor": cursor},
            options=options,
        )

    async def outcomes(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Outcomes:
        """Count why recipients ended as they did."""
        return await self._client._value(
            "GET",
            f"/api/v1/notifications/{segment('id', id)}/outcomes",
            options=options,
        )

    async def retries(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Retries:
        """Say what pending recipients wait for."""
        return await self._client._value(
            "GET",
            f"/api/v1/notifications/{segment('id', id)}/retries",
            options=options,
        )

    async def stats(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> NotificationStats:
        """Read a notification's counts by provider."""
        return await self._client._value(
            "GET",
            f"/api/v1/notifications/{segment('id', id)}/stats",
            options=options,
        )

    async def webhook_deliveries(
        self,
        id: str,
        *,
        recipient_id: str,
        options: Optional[RequestOptions] = None,
    ) -> RecipientWebhookDeliveries:
        """List what webhooks were told of a recipient.

        recipient_id: The device, or the channel.
        """
        return await self._client._value(
            "GET",
            f"/api/v1/notifications/{segment('id', id)}/webhook-deliveries",
            query={"recipient_id": recipient_id},
            options=options,
        )


class AsyncTemplatesResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        name: str,
        content: Content,
        locales: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        missing_variables: Union[Literal["error", "empty"], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Template:
        """Create a template."""
        return await self._client._value(
            "POST",
            "/api/v1/templates",
            body={"name": name, "content": content, "locales": locales, "missing_variables": missing_variables},
            takes_key=True,
            options=options,
        )

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Template]:
        """List templates.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/templates",
            query={"limit": limit, "cursor": cursor},
            options=options,
        )

    async def preview_many(
        self,
        *,
        content: Content,
        locales: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        missing_variables: Union[Literal["error", "empty"], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        variables: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        device: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        contact: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        contact_id: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> TemplatePreview:
        """Fill a template that is not saved.

        locale: Unless given, that of `contact`; null is somebody whose language is not known.
        contact_id: Somebody there is, in the place of `contact`; `device`, unless given, is the
            one of theirs that was seen last.
        """
        return await self._client._value(
            "POST",
            "/api/v1/templates/preview",
            body={"content": content, "locales": locales, "missing_variables": missing_variables, "locale": locale, "variables": variables, "device": device, "contact": contact, "contact_id": contact_id},
            takes_key=True,
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Template:
        """Read a template."""
        return await self._client._value(
            "GET",
            f"/api/v1/templates/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        version: Union[int, NotGiven] = NOT_GIVEN,
        name: Union[str, NotGiven] = NOT_GIVEN,
        content: Union[Content, NotGiven] = NOT_GIVEN,
        locales: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        missing_variables: Union[Literal["error", "empty"], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Template:
        """Change a template.

        version: The version that is changed. Where it is not the latest any more, nothing is
            changed, and the answer is 409.
        """
        return await self._client._value(
            "PATCH",
            f"/api/v1/templates/{segment('id', id)}",
            body={"version": version, "name": name, "content": content, "locales": locales, "missing_variables": missing_variables},
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove a template."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/templates/{segment('id', id)}",
            options=options,
        )

    def versions(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[TemplateVersionSummary]:
        """List the versions of a template."""
        return self._client._pages(
            "GET",
            f"/api/v1/templates/{segment('id', id)}/versions",
            options=options,
        )

    async def get_version(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> TemplateVersion:
        """Read a version of a template."""
        return await self._client._value(
            "GET",
            f"/api/v1/templates/versions/{segment('id', id)}",
            options=options,
        )

    async def preview(
        self,
        id: str,
        *,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        variables: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        device: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        contact: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        contact_id: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> TemplatePreview:
        """Fill a template for an example.

        locale: Unless given, that of `contact`; null is somebody whose language is not known.
        contact_id: Somebody there is, in the place of `contact`; `device`, unless given, is the
            one of theirs that was seen last.
        """
        return await self._client._value(
            "POST",
            f"/api/v1/templates/{segment('id', id)}/preview",
            body={"locale": locale, "variables": variables, "device": device, "contact": contact, "contact_id": contact_id},
            takes_key=True,
            options=options,
        )


class AsyncSegmentsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        name: str,
        filter: SegmentFilter,
        options: Optional[RequestOptions] = None,
    ) -> Segment:
        """Create a segment."""
        return await self._client._value(
            "POST",
            "/api/v1/segments",
            body={"name": name, "filter": filter},
            takes_key=True,
            options=options,
        )

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Segment]:
        """List segments.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/segments",
            query={"limit": limit, "cursor": cursor},
            options=options,
        )

    async def count_many(
        self,
        *,
        filter: SegmentFilter,
        options: Optional[RequestOptions] = None,
    ) -> SegmentCount:
        """Count whom conditions fit now."""
        return await self._client._value(
            "POST",
            "/api/v1/segments/count",
            body={"filter": filter},
            takes_key=True,
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Segment:
        """Read a segment."""
        return await self._client._value(
            "GET",
            f"/api/v1/segments/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        filter: Union[SegmentFilter, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Segment:
        """Change a segment."""
        return await self._client._value(
            "PATCH",
            f"/api/v1/segments/{segment('id', id)}",
            body={"name": name, "filter": filter},
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove a segment."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/segments/{segment('id', id)}",
            options=options,
        )

    async def count(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> SegmentCount:
        """Count who is in a segment now."""
        return await self._client._value(
            "GET",
            f"/api/v1/segments/{segment('id', id)}/count",
            options=options,
        )


class AsyncWorkflowsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        name: str,
        trigger: WorkflowTrigger,
        steps: List[WorkflowStep],
        reentry: Union[Literal["always", "when_ended", "once"], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> SavedWorkflow:
        """Create a workflow.

        reentry: `always`: as often as triggered. `when_ended`: not while a run of the person is
            under way. `once`: never again, whatever became of the run. Whoever may not enter is
            passed over.
        """
        return await self._client._value(
            "POST",
            "/api/v1/workflows",
            body={"name": name, "trigger": trigger, "steps": steps, "reentry": reentry},
            takes_key=True,
            options=options,
        )

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        status: Optional[Literal["draft", "active", "archived"]] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Workflow]:
        """List workflows.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/workflows",
            query={"limit": limit, "cursor": cursor, "status": status},
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Workflow:
        """Read a workflow."""
        return await self._client._value(
            "GET",
            f"/api/v1/workflows/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        trigger: Union[WorkflowTrigger, NotGiven] = NOT_GIVEN,
        steps: Union[List[WorkflowStep], NotGiven] = NOT_GIVEN,
        reentry: Union[Literal["always", "when_ended", "once"], NotGiven] = NOT_GIVEN,
        version: Union[int, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> SavedWorkflow:
        """Change a workflow.

        reentry: `always`: as often as triggered. `when_ended`: not while a run of the person is
            under way. `once`: never again, whatever became of the run. Whoever may not enter is
            passed over.
        version: Which version was changed: where others have made a later one by now, the
            answer is 409.
        """
        return await self._client._value(
            "PATCH",
            f"/api/v1/workflows/{segment('id', id)}",
            body={"name": name, "trigger": trigger, "steps": steps, "reentry": reentry, "version": version},
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove a workflow."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/workflows/{segment('id', id)}",
            options=options,
        )

    async def statistics(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> WorkflowStatistics:
        """Count runs by step."""
        return await self._client._value(
            "GET",
            f"/api/v1/workflows/{segment('id', id)}/statistics",
            options=options,
        )

    def versions(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[WorkflowVersionSummary]:
        """List the versions of a workflow.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            f"/api/v1/workflows/{segment('id', id)}/versions",
            query={"limit": limit, "cursor": cursor},
            options=options,
        )

    async def version(
        self,
        id: str,
        *,
        version: Optional[int] = None,
        options: Optional[RequestOptions] = None,
    ) -> WorkflowVersion:
        """Read a version of a workflow.

        version: Its number. Left out: the latest.
        """
        return await self._client._value(
            "GET",
            f"/api/v1/workflows/{segment('id', id)}/version",
            query={"version": version},
            options=options,
        )

    async def activate(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> SavedWorkflow:
        """Activate a workflow."""
        return await self._client._value(
            "POST",
            f"/api/v1/workflows/{segment('id', id)}/activate",
            takes_key=True,
            options=options,
        )

    async def archive(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Workflow:
        """Archive a workflow."""
        return await self._client._value(
            "POST",
            f"/api/v1/workflows/{segment('id', id)}/archive",
            takes_key=True,
            options=options,
        )

    async def trigger(
        self,
        id: str,
        *,
        to: TriggerWorkflowTo,
        data: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> TriggeredWorkflow:
        """Let people enter a workflow."""
        return await self._client._value(
            "POST",
            f"/api/v1/workflows/{segment('id', id)}/trigger",
            body={"to": to, "data": data},
            takes_key=True,
            options=options,
        )

    async def dry_run(
        self,
        id: str,
        *,
        user_id: Union[str, NotGiven] = NOT_GIVEN,
        contact: Union[RehearseWorkflowContact, NotGiven] = NOT_GIVEN,
        data: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        outcomes: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        events: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        answers: Union[Dict[str, Any], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> WorkflowDryRun:
        """Try a workflow without sending.

        user_id: A contact, whose way is tried.
        contact: Somebody made up, in the place of `user_id`.
        outcomes: What becomes of the messages of SEND steps, by key. Left out: `sent`.
        events: The data of the events that WAIT_FOR steps hear, by key. Left out: none comes in
            time.
        answers: What FETCH steps are answered, by key, each try the same. Left out: 200 without
            a body. Nobody is asked.
        """
        return await self._client._value(
            "POST",
            f"/api/v1/workflows/{segment('id', id)}/dry-run",
            body={"user_id": user_id, "contact": contact, "data": data, "outcomes": outcomes, "events": events, "answers": answers},
            takes_key=True,
            options=options,
        )


class AsyncExecutionsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        workflow_id: Optional[str] = None,
        status: Optional[Literal["running", "waiting", "completed", "filtered", "failed", "cancelled"]] = None,
        user_id: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Execution]:
        """List executions.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/executions",
            query={"limit": limit, "cursor": cursor, "workflow_id": workflow_id, "status": status, "user_id": user_id},
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> ExecutionWithHistory:
        """Read an execution with its history."""
        return await self._client._value(
            "GET",
            f"/api/v1/executions/{segment('id', id)}",
            options=options,
        )

    async def cancel_many(
        self,
        *,
        workflow_id: Union[str, NotGiven] = NOT_GIVEN,
        user_id: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[Literal["waiting", "running"], NotGiven] = NOT_GIVEN,
        note: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> CancelledExecutions:
        """Cancel many executions.

        note: Why: it stands in the history of each.
        """
        return await self._client._value(
            "POST",
            "/api/v1/executions/cancel",
            body={"workflow_id": workflow_id, "user_id": user_id, "status": status, "note": note},
            takes_key=True,
            options=options,
        )

    async def cancel(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Execution:
        """Cancel an execution."""
        return await self._client._value(
            "POST",
            f"/api/v1/executions/{segment('id', id)}/cancel",
            takes_key=True,
            options=options,
        )


class AsyncStatsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def get(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        group_by: Optional[Literal["application", "day", "provider", "day_provider"]] = None,
        options: Optional[RequestOptions] = None,
    ) -> Stats:
        """Count what happened, by day and provider.

        group_by: `day` unless given.
        """
        return await self._client._value(
            "GET",
            "/api/v1/stats",
            query={"from": from_, "to": to, "group_by": group_by},
            options=options,
        )


class AsyncWebhooksResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def create(
        self,
        *,
        name: str,
        url: str,
        secret: Union[Optional[str], NotGiven] = NOT_GIVEN,
        events: Union[List[Literal[
            "NOTIFICATION_SENT",
            "NOTIFICATION_FAILED",
            "NOTIFICATION_DELIVERED",
            "NOTIFICATION_OPENED",
            "NOTIFICATION_CLICKED",
            "WORKFLOW_COMPLETED",
            "WORKFLOW_FILTERED",
            "WORKFLOW_FAILED",
            "WORKFLOW_CANCELLED",
        ]], NotGiven] = NOT_GIVEN,
        is_active: Union[bool, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Webhook:
        """Create a webhook."""
        return await self._client._value(
            "POST",
            "/api/v1/webhooks",
            body={"name": name, "url": url, "secret": secret, "events": events, "is_active": is_active},
            takes_key=True,
            options=options,
        )

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Webhook]:
        """List webhooks.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/webhooks",
            query={"limit": limit, "cursor": cursor},
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Webhook:
        """Read a webhook."""
        return await self._client._value(
            "GET",
            f"/api/v1/webhooks/{segment('id', id)}",
            options=options,
        )

    async def update(
        self,
        id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        url: Union[str, NotGiven] = NOT_GIVEN,
        secret: Union[Optional[str], NotGiven] = NOT_GIVEN,
        secret_overlap_seconds: Union[int, NotGiven] = NOT_GIVEN,
        events: Union[List[Literal[
            "NOTIFICATION_SENT",
            "NOTIFICATION_FAILED",
            "NOTIFICATION_DELIVERED",
            "NOTIFICATION_OPENED",
            "NOTIFICATION_CLICKED",
            "WORKFLOW_COMPLETED",
            "WORKFLOW_FILTERED",
            "WORKFLOW_FAILED",
            "WORKFLOW_CANCELLED",
        ]], NotGiven] = NOT_GIVEN,
        is_active: Union[bool, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Webhook:
        """Change a webhook.

        secret_overlap_seconds: With a new `secret`: for how long the one before it signs beside
            it, as a further `v1`. Left out, or 0: not at all.
        """
        return await self._client._value(
            "PATCH",
            f"/api/v1/webhooks/{segment('id', id)}",
            body={"name": name, "url": url, "secret": secret, "secret_overlap_seconds": secret_overlap_seconds, "events": events, "is_active": is_active},
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Delete a webhook."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/webhooks/{segment('id', id)}",
            options=options,
        )

    async def test(
        self,
        id: str,
        *,
        event: Union[Literal[
            "NOTIFICATION_SENT",
            "NOTIFICATION_FAILED",
            "NOTIFICATION_DELIVERED",
            "NOTIFICATION_OPENED",
            "NOTIFICATION_CLICKED",
            "WORKFLOW_COMPLETED",
            "WORKFLOW_FILTERED",
            "WORKFLOW_FAILED",
            "WORKFLOW_CANCELLED",
        ], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> WebhookTest:
        """Send a test delivery now.

        event: Unless given, the first that the webhook subscribes to.
        """
        return await self._client._value(
            "POST",
            f"/api/v1/webhooks/{segment('id', id)}/test",
            body={"event": event},
            query={},
            takes_key=True,
            options=options,
        )

    def deliveries(
        self,
        id: str,
        *,
        event: Optional[Literal[
            "NOTIFICATION_SENT",
            "NOTIFICATION_FAILED",
            "NOTIFICATION_DELIVERED",
            "NOTIFICATION_OPENED",
            "NOTIFICATION_CLICKED",
            "WORKFLOW_COMPLETED",
            "WORKFLOW_FILTERED",
            "WORKFLOW_FAILED",
            "WORKFLOW_CANCELLED",
        ]] = None,
        status: Optional[Literal["delivered", "pending", "retrying", "exhausted"]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[WebhookDelivery]:
        """List recent deliveries.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            f"/api/v1/webhooks/{segment('id', id)}/deliveries",
            query={"event": event, "status": status, "limit": limit, "cursor": cursor},
            options=options,
        )

    async def delivery(
        self,
        id: str,
        *,
        event_id: str,
        options: Optional[RequestOptions] = None,
    ) -> WebhookDeliveryWithBody:
        """Read a delivery with its body.

        event_id: As the list of deliveries has it.
        """
        return await self._client._value(
            "GET",
            f"/api/v1/webhooks/{segment('id', id)}/delivery",
            query={"event_id": event_id},
            options=options,
        )

    async def redeliver(
        self,
        id: str,
        *,
        from_: Union[Union[datetime, str], NotGiven] = NOT_GIVEN,
        to: Union[Union[datetime, str], NotGiven] = NOT_GIVEN,
        status: Union[Literal["exhausted", "delivered"], NotGiven] = NOT_GIVEN,
        delivery_id: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Redelivery:
        """Deliver again what a webhook's receiver missed.

        status: `exhausted`, the default: what the receiver missed. `delivered`: what it has
            taken already.
        delivery_id: This one alone: the `event_id` of the list of deliveries. Nothing else is
            named beside it.
        """
        return await self._client._value(
            "POST",
            f"/api/v1/webhooks/{segment('id', id)}/redeliver",
            body={"from": from_, "to": to, "status": status, "delivery_id": delivery_id},
            takes_key=True,
            options=options,
        )

    async def get_redelivery(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Redelivery:
        """Follow a redelivery."""
        return await self._client._value(
            "GET",
            f"/api/v1/webhooks/redeliveries/{segment('id', id)}",
            options=options,
        )


class AsyncDeadLettersResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        kind: Optional[Literal["notification", "webhook"]] = None,
        webhook_id: Optional[str] = None,
        notification_id: Optional[str] = None,
        provider: Optional[Literal["apns", "fcm", "webpush", "smtp", "inbox"]] = None,
        error: Optional[str] = None,
        from_: Optional[Union[datetime, str]] = None,
        to: Optional[Union[datetime, str]] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[DeadLetter]:
        """List dead letters.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        error: The whole text of `error`.
        """
        return self._client._pages(
            "GET",
            "/api/v1/dead-letters",
            query={"limit": limit, "cursor": cursor, "kind": kind, "webhook_id": webhook_id, "notification_id": notification_id, "provider": provider, "error": error, "from": from_, "to": to},
            options=options,
        )

    async def get(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> DeadLetterWithContent:
        """Read a dead letter with its content."""
        return await self._client._value(
            "GET",
            f"/api/v1/dead-letters/{segment('id', id)}",
            options=options,
        )

    async def replay(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> DeadLettersReplayResult:
        """Send a dead letter again."""
        return await self._client._value(
            "POST",
            f"/api/v1/dead-letters/{segment('id', id)}/replay",
            takes_key=True,
            options=options,
        )

    async def replay_many(
        self,
        *,
        kind: Union[Literal["notification", "webhook"], NotGiven] = NOT_GIVEN,
        webhook_id: Union[str, NotGiven] = NOT_GIVEN,
        notification_id: Union[str, NotGiven] = NOT_GIVEN,
        provider: Union[Literal["apns", "fcm", "webpush", "smtp", "inbox"], NotGiven] = NOT_GIVEN,
        error: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[Union[datetime, str], NotGiven] = NOT_GIVEN,
        to: Union[Union[datetime, str], NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Replay:
        """Send many dead letters again.

        error: The whole text of `error`.
        """
        return await self._client._value(
            "POST",
            "/api/v1/dead-letters/replay",
            body={"kind": kind, "webhook_id": webhook_id, "notification_id": notification_id, "provider": provider, "error": error, "from": from_, "to": to},
            takes_key=True,
            options=options,
        )

    def replays(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Replay]:
        """List replays.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/dead-letters/replays",
            query={"limit": limit, "cursor": cursor},
            options=options,
        )

    async def get_replay(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Replay:
        """Follow a replay."""
        return await self._client._value(
            "GET",
            f"/api/v1/dead-letters/replays/{segment('id', id)}",
            options=options,
        )


class AsyncCredentialsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    def list(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Credential]:
        """List provider credentials."""
        return self._client._pages(
            "GET",
            "/api/v1/credentials",
            options=options,
        )

    async def set_apns(
        self,
        *,
        team_id: str,
        key_id: str,
        private_key: str,
        bundle_id: str,
        endpoint: Union[str, NotGiven] = NOT_GIVEN,
        sandbox_endpoint: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Set the APNs credential."""
        return await self._client._value(
            "PUT",
            "/api/v1/credentials/apns",
            body={"team_id": team_id, "key_id": key_id, "private_key": private_key, "bundle_id": bundle_id, "endpoint": endpoint, "sandbox_endpoint": sandbox_endpoint},
            options=options,
        )

    async def get_apns(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Read the APNs credential."""
        return await self._client._value(
            "GET",
            "/api/v1/credentials/apns",
            options=options,
        )

    async def delete_apns(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove the APNs credential."""
        return await self._client._value(
            "DELETE",
            "/api/v1/credentials/apns",
            options=options,
        )

    async def check_apns(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> CredentialCheck:
        """Check the APNs credential."""
        return await self._client._value(
            "POST",
            "/api/v1/credentials/apns/check",
            takes_key=True,
            options=options,
        )

    async def set_fcm(
        self,
        *,
        service_account: Union[CredentialsSetFcmBodyServiceAccount, NotGiven] = NOT_GIVEN,
        endpoint: Union[str, NotGiven] = NOT_GIVEN,
        type: Union[Literal["service_account"], NotGiven] = NOT_GIVEN,
        project_id: Union[str, NotGiven] = NOT_GIVEN,
        client_email: Union[str, NotGiven] = NOT_GIVEN,
        private_key: Union[str, NotGiven] = NOT_GIVEN,
        token_uri: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Set the FCM credential."""
        return await self._client._value(
            "PUT",
            "/api/v1/credentials/fcm",
            body={"service_account": service_account, "endpoint": endpoint, "type": type, "project_id": project_id, "client_email": client_email, "private_key": private_key, "token_uri": token_uri},
            options=options,
        )

    async def get_fcm(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Read the FCM credential."""
        return await self._client._value(
            "GET",
            "/api/v1/credentials/fcm",
            options=options,
        )

    async def delete_fcm(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove the FCM credential."""
        return await self._client._value(
            "DELETE",
            "/api/v1/credentials/fcm",
            options=options,
        )

    async def check_fcm(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> CredentialCheck:
        """Check the FCM credential."""
        return await self._client._value(
            "POST",
            "/api/v1/credentials/fcm/check",
            takes_key=True,
            options=options,
        )

    async def set_webpush(
        self,
        *,
        subject: str,
        public_key: Union[str, NotGiven] = NOT_GIVEN,
        private_key: Union[str, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Set the Web Push credential."""
        return await self._client._value(
            "PUT",
            "/api/v1/credentials/webpush",
            body={"subject": subject, "public_key": public_key, "private_key": private_key},
            options=options,
        )

    async def get_webpush(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Read the Web Push credential."""
        return await self._client._value(
            "GET",
            "/api/v1/credentials/webpush",
            options=options,
        )

    async def delete_webpush(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove the Web Push credential."""
        return await self._client._value(
            "DELETE",
            "/api/v1/credentials/webpush",
            options=options,
        )

    async def check_webpush(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> CredentialCheck:
        """Check the Web Push credential."""
        return await self._client._value(
            "POST",
            "/api/v1/credentials/webpush/check",
            takes_key=True,
            options=options,
        )

    async def set_smtp(
        self,
        *,
        url: str,
        from_: str,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Set the e-mail credential."""
        return await self._client._value(
            "PUT",
            "/api/v1/credentials/smtp",
            body={"url": url, "from": from_},
            options=options,
        )

    async def get_smtp(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Credential:
        """Read the e-mail credential."""
        return await self._client._value(
            "GET",
            "/api/v1/credentials/smtp",
            options=options,
        )

    async def delete_smtp(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Deleted:
        """Remove the e-mail credential."""
        return await self._client._value(
            "DELETE",
            "/api/v1/credentials/smtp",
            options=options,
        )

    async def check_smtp(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> CredentialCheck:
        """Check the e-mail credential."""
        return await self._client._value(
            "POST",
            "/api/v1/credentials/smtp/check",
            takes_key=True,
            options=options,
        )


class AsyncPublicAppsResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def vapid(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> PublicAppsVapidResult:
        """Read the key that browsers subscribe with."""
        return await self._client._value(
            "GET",
            f"/api/v1/public/apps/{segment('id', id)}/vapid",
            options=options,
        )


class AsyncApplicationResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    async def get(
        self,
        *,
        options: Optional[RequestOptions] = None,
    ) -> Application:
        """Read the application and its options."""
        return await self._client._value(
            "GET",
            "/api/v1/application",
            options=options,
        )

    async def update(
        self,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        identity_verification: Union[bool, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> Application:
        """Change the application's options."""
        return await self._client._value(
            "PATCH",
            "/api/v1/application",
            body={"name": name, "identity_verification": identity_verification},
            options=options,
        )

    async def create_identity_secret(
        self,
        *,
        overlap_seconds: Union[int, NotGiven] = NOT_GIVEN,
        options: Optional[RequestOptions] = None,
    ) -> ApplicationCreateIdentitySecretResult:
        """Issue a new identity secret."""
        return await self._client._value(
            "POST",
            "/api/v1/application/identity-secret",
            body={"overlap_seconds": overlap_seconds},
            takes_key=True,
            options=options,
        )


class AsyncApiKeysResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[ApiKey]:
        """List API keys.

        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/api-keys",
            query={"limit": limit, "cursor": cursor},
            options=options,
        )

    async def create(
        self,
        *,
        kind: Literal["secret", "public"],
        name: str,
        options: Optional[RequestOptions] = None,
    ) -> NewApiKey:
        """Create an API key."""
        return await self._client._value(
            "POST",
            "/api/v1/api-keys",
            body={"kind": kind, "name": name},
            takes_key=True,
            options=options,
        )

    async def delete(
        self,
        id: str,
        *,
        options: Optional[RequestOptions] = None,
    ) -> ApiKeysDeleteResult:
        """Revoke an API key."""
        return await self._client._value(
            "DELETE",
            f"/api/v1/api-keys/{segment('id', id)}",
            options=options,
        )


class AsyncAuditLogResource:
    def __init__(self, client: "AsyncTransport") -> None:
        self._client = client

    def list(
        self,
        *,
        actor_id: Optional[str] = None,
        action: Optional[Literal[
            "application.created",
            "application.changed",
            "identity_secret.issued",
            "api_key.created",
            "api_key.revoked",
            "credential.set",
            "credential.removed",
            "credential.checked",
            "template.created",
            "template.changed",
            "template.deleted",
            "segment.created",
            "segment.changed",
            "segment.deleted",
            "contact.created",
            "contact.changed",
            "contact.deleted",
            "contacts.imported",
            "device.registered",
            "device.changed",
            "device.deleted",
            "devices.imported",
            "devices.exported",
            "channel.created",
            "channel.changed",
            "channel.deleted",
            "inbox_messages.posted",
            "webhook.created",
            "webhook.changed",
            "webhook.deleted",
            "webhook.disabled",
            "webhook.tested",
            "webhook.redelivered",
            "dead_letter.replayed",
            "dead_letters.replayed",
            "notification.created",
            "notification.changed",
            "notification.paused",
            "notification.resumed",
            "notification.cancelled",
            "workflow.created",
            "workflow.changed",
            "workflow.activated",
            "workflow.archived",
            "workflow.deleted",
            "workflow.triggered",
            "execution.cancelled",
            "executions.cancelled",
            "event.raised",
        ]] = None,
        target: Optional[str] = None,
        from_: Optional[Union[datetime, str]] = None,
        to: Optional[Union[datetime, str]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[AuditEntry]:
        """List who changed what.

        actor_id: Made by this key, person or system's user.
        action: Such changes.
        target: Of this: an id, or a credential's kind.
        limit: How many to return, at most. 50 unless given.
        cursor: `next_cursor` of the page before. Leave it out for the first page.
        """
        return self._client._pages(
            "GET",
            "/api/v1/audit-log",
            query={"actor_id": actor_id, "action": action, "target": target, "from": from_, "to": to, "limit": limit, "cursor": cursor},
            options=options,
        )


class AsyncResources:
    """Every operation, by resource."""

    def __init__(self, client: "AsyncTransport") -> None:
        self.public_devices = AsyncPublicDevicesResource(client)
        self.devices = AsyncDevicesResource(client)
        self.events = AsyncEventsResource(client)
        self.track = AsyncTrackResource(client)
        self.channels = AsyncChannelsResource(client)
        self.contacts = AsyncContactsResource(client)
        self.public_inbox = AsyncPublicInboxResource(client)
        self.inbox = AsyncInboxResource(client)
        self.notifications = AsyncNotificationsResource(client)
        self.templates = AsyncTemplatesResource(client)
        self.segments = AsyncSegmentsResource(client)
        self.workflows = AsyncWorkflowsResource(client)
        self.executions = AsyncExecutionsResource(client)
        self.stats = AsyncStatsResource(client)
        self.webhooks = AsyncWebhooksResource(client)
        self.dead_letters = AsyncDeadLettersResource(client)
        self.credentials = AsyncCredentialsResource(client)
        self.public_apps = AsyncPublicAppsResource(client)
        self.application = AsyncApplicationResource(client)
        self.api_keys = AsyncApiKeysResource(client)
        self.audit_log = AsyncAuditLogResource(client)
