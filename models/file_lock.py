"""A lock between processes that goes with its holder, however that one ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold the lock file `path` for the length of the block, waiting for whoever holds it.

    The file stays: removing it would let two processes hold two files of one name.
    """
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
