"""Files: the methods of the Web API about them, and the addresses under which they lie."""

from typing import cast

from aiohttp import web

from fakes.slack_chat import thread_of, writable
from fakes.slack_events import announce
from fakes.slack_rules import Refused
from fakes.slack_world import Json, Message, World

LOGIN = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in to your workspace</body></html>"


def info(world: World, args: Json) -> Json:
    described = world.files.get(str(args.get("file", "")))
    if described is None:
        raise Refused("file_not_found")
    return {"file": described}


def upload_url(world: World, args: Json) -> Json:
    try:
        name, length = str(args["filename"]), int(args["length"])
    except (KeyError, ValueError) as error:
        raise Refused("invalid_arguments", "missing required field: filename or length") from error
    if length < 1:
        raise Refused("invalid_arguments", "length must be greater than 0")
    file_id = world.new_id("F")
    world.uploads[file_id] = {"name": name, "length": length, "content": None}
    return {"upload_url": f"{world.url}/upload/v1/{file_id}", "file_id": file_id}


def complete_upload(world: World, args: Json) -> Json:
    asked = cast(list[Json], args.get("files") or [])
    uploads = [world.uploads.get(str(file.get("id"))) for file in asked]
    if not uploads or any(upload is None or upload["content"] is None for upload in uploads):
        raise Refused("file_not_found")
    channel = writable(world, args, "channel_id") if args.get("channel_id") else None
    thread = thread_of(world, channel, args) if channel else None
    done: list[Json] = []
    for file, upload in zip(asked, cast(list[Json], uploads), strict=True):
        content = cast(bytes, upload["content"])
        described = world.add_file(str(upload["name"]), content, "text/plain", world.bot.id)
        described["title"] = file.get("title") or described["name"]
        del world.uploads[str(file["id"])]
        done.append(described)
    if channel:
        comment = str(args.get("initial_comment") or "")
        message = Message(world.new_ts(), channel.id, world.bot.id, comment, thread=thread, files=tuple(done))
        announce(world, world.post(message))
    return {"files": done}


async def download(world: World, request: web.Request) -> web.StreamResponse:
    """A file for the bot, and a page to sign in for anybody else: with status 200, as Slack does."""
    file_id = request.match_info["file"].rpartition("-")[2]
    if world.files_elsewhere:
        there = world.url.replace("127.0.0.1", "localhost")
        return web.Response(status=302, headers={"Location": f"{there}/elsewhere/{file_id}"})
    allowed = not world.revoked and "files:read" in world.scopes
    if file_id not in world.contents or not allowed or _token(request) != world.bot_token:
        return web.Response(text=LOGIN, content_type="text/html")
    return web.Response(body=world.contents[file_id], content_type=world.files[file_id]["mimetype"])


async def elsewhere(world: World, request: web.Request) -> web.StreamResponse:
    """Another host, which notes the tokens that it is given."""
    if token := _token(request):
        world.tokens_elsewhere.append(token)
    return web.Response(body=world.contents[request.match_info["file"]])


async def upload(world: World, request: web.Request) -> web.StreamResponse:
    content = await request.read()
    expected = world.uploads.get(request.match_info["file"])
    if expected is None or expected["length"] != len(content):
        return web.Response(status=400, text="the upload has another length than was announced")
    expected["content"] = content
    return web.Response(text=f"OK - {len(content)}")


def _token(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")


METHODS = {
    "files.info": info,
    "files.getUploadURLExternal": upload_url,
    "files.completeUploadExternal": complete_upload,
}
