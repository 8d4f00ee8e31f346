"""When a service wants to be asked again: the HTTP header ``Retry-After`` (RFC 9110, 10.2.3)."""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime


def read_retry_after(value: str) -> float | None:
    """Seconds to wait, never negative, from a number or a date; ``None`` where the header does not say."""
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
