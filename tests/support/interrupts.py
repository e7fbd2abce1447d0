"""Ctrl-C at a chosen place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from ivme import RefusedEdgeError


def struck_at(call: int, work: Callable[[], object]) -> bool:
    """Do some work, with a Ctrl-C at its n-th call of a Python function; whether it came that far."""
    calls = 0

    def strike(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        if event == "call":
            calls += 1
            if calls == call + 1:  # the first is that of `work` itself
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(strike)
    try:
        work()
    except KeyboardInterrupt:
        return True
    except RefusedEdgeError:
        pass
    finally:
        sys.setprofile(None)
    return False
