"""Download a file from an address that a person wrote, without being led into the network that kbot runs in."""

import asyncio
import ipaddress
import mimetypes
import re
import socket
import unicodedata
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import Message
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import httpx

from kbot.errors import Rejected

_REDIRECTS = 5
_TIMEOUT = httpx.Timeout(30, connect=10)
_SECONDS = 300
_UNSAFE_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A downloaded file: where it lies, its name as its server says it, its last address, and its declared media
    type."""

    path: Path
    name: str
    url: str
    media_type: str


async def fetch(
    url: str,
    *,
    max_bytes: int,
    into: Path,
    allow_private: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Fetched:
    """Download `url` into a new file in the folder `into`. `headers` (a platform's token) go to the first host alone.

    With headers no other host is followed to at all. Only http and https; at most five redirects; the size is checked
    as declared and as it comes. Unless `allow_private`, every host on the way must resolve to public addresses alone,
    and the connection goes to the very address that was checked.

    Raises Rejected, with the reason in words; nothing is left in `into` then.
    """
    path = into / uuid.uuid4().hex
    try:
        async with (
            asyncio.timeout(_SECONDS),
            httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False) as client,
        ):
            fetched = await _follow(client, _parsed(url), dict(headers or {}), path, max_bytes, allow_private)
    except TimeoutError as error:
        raise Rejected(
            f"The download took longer than {_SECONDS} s; download the file yourself and attach it."
        ) from error
    except httpx.TimeoutException as error:
        raise Rejected("The server did not answer in time; try again later, or attach the file itself.") from error
    except httpx.HTTPError as error:
        raise Rejected(f"The address cannot be reached ({type(error).__name__}); check it in a browser.") from error
    else:
        path = None
        return fetched
    finally:
        if path is not None:
            await asyncio.to_thread(path.unlink, missing_ok=True)


async def _follow(
    client: httpx.AsyncClient,
    url: httpx.URL,
    headers: dict[str, str],
    path: Path,
    max_bytes: int,
    allow_private: bool,
) -> Fetched:
    for _ in range(_REDIRECTS + 1):
        async with _get(client, url, headers, allow_private) as response:
            if not response.has_redirect_location:
                return await _save(response, url, path, max_bytes)
            target = _parsed(str(url.join(response.headers["location"])))
        if headers and (target.scheme, target.netloc) != (url.scheme, url.netloc):
            raise Rejected(
                "The platform sent the download on to another host, as it does when kbot may not read the file; let "
                "the operator check the rights of kbot's token, or send the file anew."
            )
        url = target
    raise Rejected(
        f"The address leads on more than {_REDIRECTS} times; open it in a browser and send the address it ends at."
    )


@asynccontextmanager
async def _get(
    client: httpx.AsyncClient, url: httpx.URL, headers: dict[str, str], allow_private: bool
) -> AsyncGenerator[httpx.Response]:
    addresses = await _resolve(url, allow_private)
    for address in addresses:
        request = client.build_request(
            "GET",
            url.copy_with(host=address),
            headers={**headers, "Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity"},
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        )
        try:
            response = await client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if address == addresses[-1]:
                raise
            continue
        try:
            yield response
        finally:
            await response.aclose()
        return


async def _resolve(url: httpx.URL, allow_private: bool) -> list[str]:
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            url.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM
        )
    except (OSError, UnicodeError) as error:
        raise Rejected(f"The host {url.host} is not known; check the address.") from error
    addresses = list(dict.fromkeys(str(address[4][0]) for address in found))
    if not allow_private and not all(map(is_public, addresses)):
        raise Rejected(
            f"The host {url.host} lies in a private network, from which kbot does not fetch; attach the file itself, "
            "or let the operator set KBOT_ALLOW_PRIVATE_URLS=true."
        )
    return addresses[:4]


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, also when it is wrapped in an IPv6 one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = (
            ip.ipv4_mapped or ip.sixtofour or (ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
        )
        if inner is not None:
            return is_public(str(inner))
    site_local = isinstance(ip, ipaddress.IPv6Address) and ip.is_site_local
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not site_local


def _parsed(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError) as error:
        raise Rejected(f"The address is not valid ({error}); copy it from the browser again.") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise Rejected("The address must begin with http:// or https:// and name a host.")
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise Rejected(f"The address names port {parsed.port}, and there is none above 65535; check it.")
    if parsed.userinfo:
        raise Rejected("The address holds a user name or password; download the file yourself and attach it.")
    return parsed


async def _save(response: httpx.Response, url: httpx.URL, path: Path, max_bytes: int) -> Fetched:
    if response.status_code not in (200, 203):  # others are no whole document
        raise Rejected(_refused(response.status_code))
    declared = response.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > max_bytes:
        raise Rejected(too_large(int(declared), max_bytes))
    size = 0
    file = await asyncio.to_thread(path.open, "xb")
    try:
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > max_bytes:
                raise Rejected(too_large(size, max_bytes))
            await asyncio.to_thread(file.write, piece)
    finally:
        await asyncio.to_thread(file.close)
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Fetched(path, _name(response, url, media_type), str(url), media_type)


def _refused(status: int) -> str:
    if status in (401, 403, 407):
        return f"The server wants a login (HTTP {status}); download the file yourself and attach it."
    if status in (404, 410):
        return f"There is nothing at this address (HTTP {status}); check it in a browser."
    return f"The server answered with HTTP {status}; try again later, or attach the file itself."


def too_large(size: int, max_bytes: int) -> str:
    """What to say of a file of more bytes than kbot takes."""
    return (
        f"The file has {size / 1e6:.1f} MB or more, more than the {max_bytes / 1e6:g} MB that kbot takes; split it, or "
        "let the operator raise KBOT_MAX_FILE_MEGABYTES."
    )


def _name(response: httpx.Response, url: httpx.URL, media_type: str) -> str:
    header = Message()
    header["Content-Disposition"] = response.headers.get("content-disposition", "")
    name = header.get_filename() or unquote(PurePosixPath(url.path).name) or url.host
    name = _UNSAFE_IN_NAMES.sub("_", unicodedata.normalize("NFC", name)).strip(". ") or url.host
    if not PurePosixPath(name).suffix and media_type not in ("text/plain", "application/octet-stream"):
        name += mimetypes.guess_extension(media_type) or ""
    return name[-150:]
