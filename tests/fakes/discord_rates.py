"""Rate limits as Discord counts them: so many calls a window, each bucket for itself."""

import time
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left in a bucket after a call; `taken` is false for the call that came too early."""

    taken: bool
    limit: int
    remaining: int
    reset_after: float


@dataclass
class Buckets:
    """Windows that open with the first call in them, by key: (begin in `time.monotonic`, calls)."""

    windows: dict[str, tuple[float, int]] = field(default_factory=dict[str, tuple[float, int]])

    def take(self, key: str, limit: int, seconds: float) -> Allowance:
        now = time.monotonic()
        begin, calls = self.windows.get(key, (now, 0))
        if now - begin >= seconds:
            begin, calls = now, 0
        taken = calls < limit
        self.windows[key] = (begin, calls + taken)
        return Allowance(taken, limit, limit - calls - taken, max(begin + seconds - now, 0.001))
