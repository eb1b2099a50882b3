"""Give up root for good, keeping at most the right to pass closed folders.

Postgres refuses to run as root, and a folder such as `/root` is closed to everybody else. Opening it would
open it to all, so the new user gets one capability instead, and only where a folder is closed:
CAP_DAC_READ_SEARCH (look into any folder, read any file), or CAP_DAC_OVERRIDE where a container withholds the
former. It is raised to an ambient one, so that it passes to the programs started later (capabilities(7),
prctl(2)).
"""

import ctypes
import os
import signal
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from kbot.errors import DatabaseError

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_READ = 23
_PR_SET_SECUREBITS = 28
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_SECBIT_NO_SETUID_FIXUP = 1 << 2
_CAPABILITY_VERSION_3 = 0x20080522
_CAP_DAC_OVERRIDE = 1
_CAP_DAC_READ_SEARCH = 2

_NEXT_STEP = (
    "Set KBOT_HOME to a folder that every user can reach, or KBOT_DATABASE_URL to a server of your own, "
    "or run kbot as a user other than root."
)


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    ]


def become(uid: int, gid: int, paths: Sequence[Path]) -> None:
    """Turn this process from root into `uid` and `gid`, able to reach `paths`: existing folders, programs.

    Raises DatabaseError when the process may not change its user, or when a path is closed to the new user
    and the capability to pass it cannot be had.
    """
    closed = [place for path in paths if (place := _closed(path, uid, gid)) is not None]
    capability = _capability_for(closed) if closed else None
    try:
        if capability is not None:
            # Postgres looks for its files with access(2), which without this bit ignores capabilities.
            _prctl(_PR_SET_SECUREBITS, _SECBIT_NO_SETUID_FIXUP)
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
        if capability is not None:
            _keep_only(capability)
            _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability)
    except OSError as error:
        raise DatabaseError(
            f"The embedded Postgres cannot run as root, and this process may not become user {uid} "
            f"({error.strerror}). {_NEXT_STEP}"
        ) from error


def stop_with(parent: int) -> None:
    """Have the kernel send this process SIGINT when its parent ends, however that ends; on Linux alone."""
    if sys.platform == "linux":
        _prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:
            os._exit(1)


def _closed(path: Path, uid: int, gid: int) -> Path | None:
    """The first of the path's folders, or the program at its end, whose mode shuts out the user."""
    for place in (*reversed(path.parents), path):
        status = place.stat()
        if status.st_uid == uid:
            bit = stat.S_IXUSR
        elif status.st_gid == gid:
            bit = stat.S_IXGRP
        else:
            bit = stat.S_IXOTH
        if not status.st_mode & bit:
            return place
    return None


def _capability_for(closed: Sequence[Path]) -> int:
    """The weakest capability that passes what is closed; running a closed program takes CAP_DAC_OVERRIDE."""
    if sys.platform == "linux":
        weakest = [_CAP_DAC_READ_SEARCH] if all(place.is_dir() for place in closed) else []
        permitted = _permitted()
        for capability in (*weakest, _CAP_DAC_OVERRIDE):
            if permitted >> capability & 1 and _prctl(_PR_CAPBSET_READ, capability):
                return capability
    raise DatabaseError(
        f"The embedded Postgres cannot run as root, and no other user can pass {closed[0]}. {_NEXT_STEP}"
    )


def _permitted() -> int:
    header, sets = _Header(_CAPABILITY_VERSION_3, 0), (_Sets * 2)()
    _checked(_libc().capget(ctypes.byref(header), sets))
    return sets[0].permitted


def _keep_only(capability: int) -> None:
    header, sets = _Header(_CAPABILITY_VERSION_3, 0), (_Sets * 2)()
    sets[0] = _Sets(1 << capability, 1 << capability, 1 << capability)
    _checked(_libc().capset(ctypes.byref(header), sets))


def _prctl(option: int, *arguments: int) -> int:
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc().prctl(option, *padded))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
