"""The conformance suite's command (sdk/conformance): a request a line in, an answer a line out.

With `--async` the asynchronous client answers.
"""

import asyncio
import base64
import datetime
import inspect
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, __file__.rsplit("/", 2)[0])

import heliograph
from heliograph import webhooks


def failure_of(error):
    message = str(error)
    if isinstance(error, heliograph.ApiError):
        return {
            "kind": "api",
            "message": message,
            "status": error.status,
            "code": error.code,
            "details": error.details,
            "request_id": error.request_id,
            "retry_after_ms": None if error.retry_after is None else round(error.retry_after * 1000),
        }
    kinds = [
        (heliograph.TimedOut, "timeout"),
        (heliograph.ConnectionFailed, "connection"),
        (heliograph.WebhookVerificationError, "webhook"),
        (asyncio.TimeoutError, "cancelled"),
        (ValueError, "usage"),
    ]
    kind = next((kind for of, kind in kinds if isinstance(error, of)), "other")
    return {"kind": kind, "message": f"{type(error).__name__}: {message}"}


# Lines so long that those of a large import do not fit into the memory that a small one needs.
TAIL = "x" * 300


def made(count):
    for i in range(count):
        yield {"token": f"made-{i}-{TAIL}", "platform": "android"}


def snake(name):
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def options_of(request):
    given = request.get("options", {})

    def seconds(name):
        return given[name] / 1000 if name in given else None

    return heliograph.RequestOptions(
        timeout=seconds("timeout_ms"),
        deadline=seconds("deadline_ms"),
        max_retries=given.get("max_retries"),
        idempotency_key=given.get("idempotency_key"),
        headers=given.get("headers"),
    )


def make(of, settings):
    more = {name: settings[f"{name}_ms"] / 1000 for name in ("timeout", "deadline") if f"{name}_ms" in settings}
    if "max_retries" in settings:
        more["max_retries"] = settings["max_retries"]
    return of(settings["api_key"], settings["base_url"], **more)


def prepare(client, request):
    resource, name = request["call"].split(".")
    method = getattr(getattr(client, snake(resource)), {"import": "import_"}.get(name, snake(name)))
    positional = list(request.get("ids", []))
    if "lines" in request or "generate" in request:
        positional.append(request["lines"] if "lines" in request else made(request["generate"]))
    named = {**request.get("query", {}), **request.get("body", {})}
    named = {"from_" if name == "from" else name: value for name, value in named.items()}
    return method(*positional, **named, options=options_of(request))


def plain(page):
    if isinstance(page, heliograph.Page):
        return {"data": page.data, "next_cursor": page.next_cursor}
    return page


def in_child(ask):
    """What a process has for an answer that begins as a copy of this one."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = ask()
        except Exception as error:
            said = failure_of(error)
        os.write(writer, json.dumps(said).encode())
        # Not sys.exit: what is half done in this copy is the parent's.
        os._exit(0)
    os.close(writer)
    with open(reader) as pipe:
        answer = json.load(pipe)
    os.waitpid(child, 0)
    return answer


def run(request, answer):
    with make(heliograph.Heliograph, request["client"]) as client:
        if "fork" in request:

            def ask():
                return prepare(client, request)

            answer["items"] = [ask(), in_child(ask), ask()]
            return
        result = prepare(client, request)
        how = request.get("as", "value")
        if how == "value":
            answer["value"] = plain(result.page() if isinstance(result, heliograph.Pages) else result)
        elif how == "count":
            answer["count"] = answer["errors"] = 0
            for item in result:
                answer["count"] += 1
                answer["errors"] += "error" in item
        else:
            answer["items"] = []
            for item in result.pages() if how == "pages" else result:
                answer["items"].append(plain(item))
                if len(answer["items"]) == request.get("take"):
                    break


async def run_async(request, answer):
    async with make(heliograph.AsyncHeliograph, request["client"]) as client:

        async def ask():
            return await prepare(client, request)

        if "fork" in request:
            answer["items"] = [await ask(), in_child(lambda: asyncio.run(ask())), await ask()]
            return
        if "loops" in request:
            with ThreadPoolExecutor(1) as thread:
                answer["items"] = [
                    await ask(),
                    *[thread.submit(lambda: asyncio.run(ask())).result() for _ in range(2)],
                    await ask(),
                ]
            return
        result = prepare(client, request)
        how = request.get("as", "value")
        if how == "value":
            answer["value"] = plain(await (result if inspect.isawaitable(result) else result.page()))
        elif how == "count":
            answer["count"] = answer["errors"] = 0
            async for item in result:
                answer["count"] += 1
                answer["errors"] += "error" in item
        else:
            answer["items"] = []
            async for item in result.pages() if how == "pages" else result:
                answer["items"].append(plain(item))
                if len(answer["items"]) == request.get("take"):
                    break


ODD = {"nan": float("nan"), "infinity": float("inf"), "text": "\ud800", "other": {"a"}}


def revive(value):
    if "$odd" in value:
        return ODD[value["$odd"]]
    return datetime.datetime.fromisoformat(value["$time"].replace("Z", "+00:00")) if "$time" in value else value


def webhook(request):
    do = webhooks.verify if request["call"] == "verify" else webhooks.parse
    how = {"now": request.get("now"), "tolerance": request.get("tolerance_seconds", 300)}
    return do(base64.b64decode(request["body_base64"]), request["header"], request["secrets"], **how)


async def main():
    is_async = "--async" in sys.argv
    for line in sys.stdin:
        request = json.loads(line, object_hook=revive)
        answer = {}
        try:
            if request["call"] in ("verify", "parse"):
                answer["value"] = webhook(request)
            elif is_async:
                after = request.get("cancel_after_ms")
                await asyncio.wait_for(run_async(request, answer), None if after is None else after / 1000)
            else:
                run(request, answer)
        except Exception as error:
            answer["error"] = failure_of(error)
        print(json.dumps(answer), flush=True)


asyncio.run(main())
