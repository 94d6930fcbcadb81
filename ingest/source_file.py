"""The bytes of an input file, uncompressed, in pieces, with their hash."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import IO

from models.errors import HesuanError

_GZIP = b"\x1f\x8b"
_READ_BYTES = 4 << 20


@dataclass
class SourceFile:
    """An input file, open: read it to its end to know its hash.

    Attributes:
        path: of the file.
        total_bytes: its size on disk.
        size_bytes: uncompressed bytes read so far.
    """

    path: Path
    total_bytes: int
    _disk: BufferedReader
    _bytes: IO[bytes]
    size_bytes: int = 0
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def read(self, size: int) -> bytes:
        """Up to `size` uncompressed bytes; fewer only at the end.

        Raises:
            HesuanError: a gzip file that is cut or broken.
        """
        try:
            data = self._bytes.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise HesuanError("ingest.gzip_broken", path=self.path, cause=error) from error
        self._hash.update(data)
        self.size_bytes += len(data)
        return data

    @property
    def done_bytes(self) -> int:
        """How much of the file on disk has been read."""
        return min(self._disk.tell(), self.total_bytes)

    @property
    def sha256(self) -> str:
        """Of the uncompressed bytes read so far."""
        return self._hash.hexdigest()


@contextmanager
def open_source(path: Path) -> Iterator[SourceFile]:
    """Open a file, gzip or plain, told apart by its first bytes.

    Raises:
        HesuanError: there is no such file, or it may not be read.
    """
    try:
        disk = path.open("rb")
    except OSError as error:
        raise HesuanError("ingest.unreadable", path=path, cause=error.strerror) from error
    with disk:
        zipped = disk.peek(2)[:2] == _GZIP
        stream: IO[bytes] = gzip.GzipFile(fileobj=disk) if zipped else disk  # type: ignore[assignment]
        yield SourceFile(path, path.stat().st_size, disk, stream)


def whole_sha256(path: Path) -> str:
    """The hash of the uncompressed bytes of a file.

    Raises:
        HesuanError: as `open_source` and `SourceFile.read`.
    """
    with open_source(path) as source:
        while source.read(_READ_BYTES):
            pass
        return source.sha256
