"""The slow way: lines that are no whole record by themselves are joined, placed, or given up one by one.

Only lines that the fast way could not read come here, each with the line before it. A text with a newline in it
spreads a record over lines; a cut leaves a record without its end. What is joined must fit (sacct_place); a line
that looks like a whole record of its own is never swallowed by another: both are rejected, for a name can be made
to look like a record, and a cut record in front of a whole one looks the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.sacct_fields import RELAXED
from ingest.sacct_layout import Layout
from ingest.sacct_lines import Lines
from ingest.sacct_place import Placing, fits, pieces, place

STEP = "step"
MOST_LINES = 5000
MOST_BYTES = 1 << 20
MOST_TRIES = 100  # lines that are added to a record that has delimiters enough but does not fit


@dataclass(frozen=True)
class Outcome:
    """What became of the lines [first, last] of a chunk.

    Attributes:
        fields: the columns of a record that could be read, else empty.
        reason: why it could not; STEP for a step row whose columns do not fit, which is never billed. Neither fields
            nor a reason: no record at all (a blank line, the header again).
        detail: the words for people.
        surplus: delimiters given back to texts.
    """

    first: int
    last: int
    fields: tuple[bytes, ...] = ()
    reason: str = ""
    detail: str = ""
    surplus: int = 0


class Repair:
    """Reads the irregular lines of one chunk.

    Args:
        lines: all lines of the chunk, as they came.
        layout: of the file.
        final: the chunk ends the file.
        cut: the file does not end in a newline, so its last line may not be whole.
    """

    def __init__(self, lines: Lines, layout: Layout, *, final: bool, cut: bool) -> None:
        self._lines = lines
        self._layout = layout
        self._final = final
        self._cut = cut
        self._prefix_count = next(
            (place for place, kind in enumerate(layout.kinds) if kind == "text"), len(layout.names)
        )
        self._suffix_count = next(
            (place for place, kind in enumerate(reversed(layout.kinds)) if kind == "text"), 0
        )

    def run(self, places: Sequence[int]) -> tuple[list[Outcome], int]:
        """What became of the lines at `places`, and of those that they are joined with.

        Args:
            places: ascending places of lines that are no record by themselves.

        Returns:
            The outcomes in order, and the place of the first line that must wait for the next chunk (the count of
            lines where none must).
        """
        outcomes: list[Outcome] = []
        following = 0
        for irregular in places:
            at = max(following, irregular - 1)
            while at <= irregular:
                outcome = self._record(at)
                if outcome is None:
                    return outcomes, at
                outcomes.append(outcome)
                at = outcome.last + 1
            following = max(following, at)
        return outcomes, len(self._lines)

    def _record(self, at: int) -> Outcome | None:
        """The record that begins at line `at`; None where its end may be in the next chunk."""
        if self._passed_over(self._lines[at]):
            return Outcome(at, at)
        if not self._starts(self._lines[at]):
            return self._rejected(at)
        best: tuple[int, Placing] | None = None
        count, tried = 0, 0
        stop = min(len(self._lines), at + MOST_LINES)
        for last in range(at, stop):
            line = self._lines[last]
            if last > at and self._stands_alone(line):
                hidden = None if best else self._hides(at, last)
                return hidden or self._decided(at, best)
            count += line.count(self._layout.delimiter)
            if count < self._layout.delimiters_count or not self._ends(line):
                continue
            followed = self._followed(last)
            if best is not None and not followed:
                continue
            placing = self._placing(at, last)
            best = best if placing is None else (last, placing)
            tried += 1
            if tried > MOST_TRIES or (placing is not None and followed):
                return self._decided(at, best)
        waits = not self._final and stop == len(self._lines)
        return None if waits else self._decided(at, best)

    def _placing(self, at: int, last: int) -> Placing | None:
        record = self._lines.joined(at, last)
        return None if len(record) > MOST_BYTES else place(record, self._layout)

    def _decided(self, at: int, best: tuple[int, Placing] | None) -> Outcome:
        return self._rejected(at) if best is None else self._placed(at, *best)

    def _stands_alone(self, line: bytes) -> bool:
        """Whether a line is surely no part of the record before it: a record by itself, or the header again."""
        return line.strip(b"\r") == self._layout.header != b"" or self._whole(line)

    def _followed(self, last: int) -> bool:
        """Whether line `last` may be a record's last: the next that is not blank begins one, if a damaged one."""
        following = last + 1
        while following < len(self._lines) and not self._lines[following].strip(b"\r"):
            following += 1
        if following == len(self._lines):
            return self._final
        line = self._lines[following]
        return self._passed_over(line) or self._starts(line) or self._damaged(line)

    def _damaged(self, line: bytes) -> bool:
        """Whether a line that begins no record was meant to: about as many delimiters, or an id in the first column.

        A record that is whole without it must not take it for a part of its last text: that would lose a charge. No
        name holds half as many delimiters as a record; a damaged or cut record does.
        """
        count, kind = line.count(self._layout.delimiter), self._layout.kinds[0]
        if count * 2 >= self._layout.delimiters_count and count > 1:
            return True
        if kind in {"text", "word"}:
            return False
        first = line.split(self._layout.delimiter, 1)[0]
        return count > 0 and first != b"" and fits([first], [kind], RELAXED)

    def _ends(self, line: bytes) -> bool:
        """Whether a record may end so: the columns after the last text stand there and fit."""
        count = self._suffix_count
        if count == 0:
            return True
        parts = pieces(line, self._layout)
        return (
            parts is not None
            and len(parts) > count
            and fits(parts[-count:], self._layout.kinds[-count:], RELAXED)
        )

    def _passed_over(self, line: bytes) -> bool:
        """A blank line, or the header again, as in files that were put one after the other."""
        bare = line.strip(b"\r")
        return not bare or bare == self._layout.header

    def _starts(self, line: bytes) -> bool:
        """Whether a record may begin so: the columns before the first text stand there and fit."""
        parts = line.split(self._layout.delimiter, self._prefix_count)
        if len(parts) < min(self._prefix_count + 1, len(self._layout.names)):
            return False
        return fits(parts[: self._prefix_count], self._layout.kinds, RELAXED)

    def _whole(self, line: bytes) -> bool:
        """Whether a line is a record by itself, beyond doubt: all its columns fit without giving any back."""
        if line.count(self._layout.delimiter) != self._layout.delimiters_count:
            return False
        parts = pieces(line, self._layout)
        return parts is not None and fits(parts, self._layout.kinds, RELAXED)

    def _hides(self, at: int, last: int) -> Outcome | None:
        """A whole record at line `last` that would also fit as a part of the text of the one before it."""
        if not self._whole(self._lines[last]) or place(self._lines.joined(at, last), self._layout) is None:
            return None
        return Outcome(
            at,
            last,
            reason="ambiguous-lines",
            detail="its last line is a whole record by itself: a cut record before it, or a text made to look so",
        )

    def _placed(self, at: int, last: int, placing: Placing) -> Outcome:
        if placing.ambiguous:
            return Outcome(
                at,
                last,
                reason="ambiguous-columns",
                detail=f"{placing.surplus} surplus delimiters, and {placing.ambiguous} can be read in two ways",
            )
        if self._cut and self._final and last + 1 == len(self._lines) and not self._layout.terminated:
            name = self._layout.names[-1]
            if name in self._layout.kept and name != "JobName":
                return Outcome(
                    at, last, reason="truncated", detail=f"the file ends without a newline: {name} may be cut"
                )
        return Outcome(at, last, fields=placing.fields, surplus=placing.surplus)

    def _rejected(self, at: int) -> Outcome:
        """Line `at` alone, which is no record: with its reason, or as a step."""
        line, layout = self._lines[at], self._layout
        parts = line.removesuffix(b"\r").split(layout.delimiter)
        count = len(parts) - 1
        if any(
            b"." in parts[place] and RELAXED["job_id"].fullmatch(parts[place])
            for name, place in layout.kept.items()
            if name in {"JobIDRaw", "JobID"} and place < min(len(parts), self._prefix_count)
        ):
            return Outcome(at, at, reason=STEP)
        if count == layout.delimiters_count and (whole := pieces(line, layout)) is not None:
            return Outcome(at, at, fields=tuple(whole))
        if self._cut and self._final and at + 1 == len(self._lines):
            return Outcome(at, at, reason="truncated", detail="the file ends in the middle of this record")
        if count <= layout.delimiters_count:
            detail = f"{count} delimiters, a record of this file has {layout.delimiters_count}"
            if layout.terminated:
                detail += " and ends in one"
            return Outcome(at, at, reason="field-count", detail=detail)
        return Outcome(
            at,
            at,
            reason="no-placing",
            detail="surplus delimiters, and no way to give them back to its texts fits",
        )
