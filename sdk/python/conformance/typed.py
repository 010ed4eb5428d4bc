"""What type checkers take and refuse of a program that uses the package: the conformance suite runs mypy over it."""

from datetime import datetime, timezone
from typing import Optional

from heliograph import AsyncHeliograph, Heliograph


def times(client: Heliograph, now: datetime) -> Optional[str]:
    """A time is a datetime or its text where it is sent, and a text where it is answered."""
    sent = client.notifications.create(to={"all": True}, content={"title": "x"}, send_at=now)
    client.notifications.update(sent["id"], send_at="2026-12-24T18:00:00Z")
    client.notifications.update(sent["id"], send_at=None)
    client.notifications.update(sent["id"], send_at=1766599200)  # type: ignore[arg-type]
    client.dead_letters.replay_many(from_=now, to=now)
    for device in client.devices.list(created_from=now, last_seen_before=now.isoformat()):
        device["created_at"].upper()
    return client.notifications.get(sent["id"])["send_at"]


async def asynchronous_times(client: AsyncHeliograph) -> None:
    await client.webhooks.redeliver("id", from_=datetime.now(timezone.utc), to="2026-12-24T18:00:00Z")
