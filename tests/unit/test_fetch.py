"""Downloads from a real server on this machine, and the addresses that are refused."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kbot.errors import Rejected
from kbot.ingestion.fetch import fetch, is_public


class Server:
    """Answers each path with the bytes given for it, and keeps the requests it got."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.requests.append(request)
        writer.write(self.answers.get(request.split(" ")[1], b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def serving(host: str = "127.0.0.1") -> AsyncGenerator[Server]:
    server = Server()
    listening = await asyncio.start_server(server.answer, host, 0)
    server.url = f"http://{host}:{listening.sockets[0].getsockname()[1]}"
    async with listening:
        yield server


@pytest.fixture
async def server() -> AsyncGenerator[Server]:
    async with serving() as server:
        yield server


def ok(body: bytes, *headers: str, length: int | None = None) -> bytes:
    lines = ("HTTP/1.1 200 OK", f"Content-Length: {len(body) if length is None else length}", *headers)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def moved(target: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()


async def test_file_is_streamed_to_disk_under_its_name(server: Server, tmp_path: Path) -> None:
    server.answers["/d/a%20b"] = ok(b"x" * 300_000, "Content-Type: application/pdf; a=b")
    fetched = await fetch(f"{server.url}/d/a%20b", max_bytes=300_000, into=tmp_path, allow_private=True)
    assert (fetched.name, fetched.media_type, fetched.url) == ("a b.pdf", "application/pdf", f"{server.url}/d/a%20b")
    assert fetched.path.parent == tmp_path
    assert fetched.path.read_bytes() == b"x" * 300_000


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="plano.txt"', "plano.txt"),
        ("attachment; filename*=UTF-8''f%C3%A9rias.txt", "férias.txt"),
        ('attachment; filename="../../etc/passwd"', "_.._etc_passwd"),
    ],
)
async def test_server_names_the_file(server: Server, tmp_path: Path, disposition: str, name: str) -> None:
    server.answers["/x"] = ok(b"x", f"Content-Disposition: {disposition}", "Content-Type: text/plain")
    assert (await fetch(f"{server.url}/x", max_bytes=10, into=tmp_path, allow_private=True)).name == name


async def test_redirect_keeps_the_token_at_home(server: Server, tmp_path: Path) -> None:
    async with serving() as other:
        server.answers |= {"/1": moved("/2"), "/2": moved(f"{other.url}/3")}
        other.answers["/3"] = ok(b"there", "Content-Type: text/plain")
        server.answers["/3"] = ok(b"here", "Content-Type: text/plain")
        server.answers["/0"] = moved("/3")
        headers = {"Authorization": "Bearer t0ken"}
        fetched = await fetch(f"{server.url}/0", max_bytes=10, into=tmp_path, allow_private=True, headers=headers)
        assert fetched.path.read_bytes() == b"here"
        with pytest.raises(Rejected, match="another host"):
            await fetch(f"{server.url}/1", max_bytes=10, into=tmp_path, allow_private=True, headers=headers)
        anonymous = await fetch(f"{server.url}/1", max_bytes=10, into=tmp_path, allow_private=True)
        assert anonymous.path.read_bytes() == b"there"
    assert not any("t0ken" in request for request in other.requests)


async def test_host_is_named_although_an_address_is_called(server: Server, tmp_path: Path) -> None:
    named = server.url.replace("127.0.0.1", "localhost")
    server.answers["/x"] = ok(b"x")
    await fetch(f"{named}/x", max_bytes=10, into=tmp_path, allow_private=True)
    assert f"Host: {named.removeprefix('http://')}\r\n".lower() in server.requests[0].lower()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/none", "nothing at this address"),
        ("/login", "wants a login"),
        ("/broken", "HTTP 500"),
        ("/large", "more than the 0.0001 MB"),
        ("/lies", "more than the 0.0001 MB"),
        ("/endless", "more than 5 times"),
        ("/cut", "cannot be reached"),
        ("/file", "must begin with http"),
    ],
)
async def test_failures_say_why_and_leave_nothing(server: Server, tmp_path: Path, path: str, words: str) -> None:
    server.answers |= {
        "/login": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        "/broken": b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n",
        "/large": ok(b"", length=101),
        "/lies": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 5000,
        "/endless": moved("/endless"),
        "/cut": ok(b"half", length=90),
        "/file": moved("file:///etc/passwd"),
    }
    with pytest.raises(Rejected, match=words):
        await fetch(server.url + path, max_bytes=100, into=tmp_path, allow_private=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254", "0.0.0.0"]
)
async def test_private_hosts_are_refused(server: Server, tmp_path: Path, host: str) -> None:
    port = server.url.rpartition(":")[2]
    with pytest.raises(Rejected, match=r"private network.*KBOT_ALLOW_PRIVATE_URLS"):
        await fetch(f"http://{host}:{port}/x", max_bytes=10, into=tmp_path)
    assert server.requests == []


@pytest.mark.parametrize(
    "url", ["ftp://example.org/x", "file:///etc/passwd", "example.org", "http://", "http://[", "javascript:x"]
)
async def test_other_addresses_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(Rejected, match="address"):
        await fetch(url, max_bytes=10, into=tmp_path)


async def test_password_in_the_address_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="user name or password") as caught:
        await fetch("https://ana:s3cret@example.org/", max_bytes=10, into=tmp_path)
    assert "s3cret" not in str(caught.value)


async def test_unknown_host_and_closed_port(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="is not known"):
        await fetch("http://nowhere.invalid/", max_bytes=10, into=tmp_path)
    async with serving() as gone:
        url = gone.url
    with pytest.raises(Rejected, match="cannot be reached"):
        await fetch(url, max_bytes=10, into=tmp_path, allow_private=True)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True),
        ("2002:7f00:1::", False),
    ],
)
def test_is_public(address: str, public: bool) -> None:
    assert is_public(address) is public


async def test_a_port_that_no_machine_has_is_refused_also_behind_a_redirect(server: Server, tmp_path: Path) -> None:
    server.answers["/away"] = moved("http://127.0.0.1:99999999/")
    for url in ("http://127.0.0.1:99999/x", f"{server.url}/away"):
        with pytest.raises(Rejected, match="port"):
            await fetch(url, max_bytes=10, into=tmp_path, allow_private=True)
    with pytest.raises(Rejected, match="not valid"):
        await fetch("http://127.0.0.1/\udcff", max_bytes=10, into=tmp_path, allow_private=True)


@pytest.mark.parametrize("status", ["202 Accepted", "206 Partial Content"])
async def test_an_answer_that_is_no_whole_document_is_refused(server: Server, tmp_path: Path, status: str) -> None:
    server.answers["/part"] = f"HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\nwait".encode()
    with pytest.raises(Rejected, match=status[:3]):
        await fetch(f"{server.url}/part", max_bytes=10, into=tmp_path, allow_private=True)
