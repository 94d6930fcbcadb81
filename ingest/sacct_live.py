"""Pull records through the `sacct` program, from where the last pull stopped, losing nothing.

The time to read is cut into windows (a day each by default). Each window's answer goes into a file, is judged
(exit code, standard error, header, whole last line) and becomes one batch; the watermark moves in that batch's
transaction, so an interrupted pull goes on where it stopped. A pull begins some hours before the watermark, for
slurmctld hands records over late while slurmdbd is away. Runs that the store still has as open and that no window
brought are asked for by job id, so the end of a run that was closed later (a runaway job that was repaired, say)
is not missed.

An empty answer is not believed at once: when its database query fails, slurmdbd lets sacct print a header and
end with exit code 0 and not a word (seen with Slurm 22.05.8). A run that the store knows is asked for; where it does
not come either the pull stops, else the window is asked again.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingest.live_command import (
    DELIMITER,
    Ran,
    choose_fields,
    find_program,
    run,
    sacct_arguments,
    utc_text,
)
from ingest.live_site import check_site
from ingest.live_store import KnownRun, add_findings, moved_to, newest_run, open_runs, watermark
from ingest.slurm import Batch, ingest_file
from models.errors import Finding, HesuanError

HOUR_S = 3600
OPEN_RUNS_AT_ONCE = 300  # job ids in one command: a line of about 3 kB


@dataclass(frozen=True)
class _Pull:
    """What stays the same during one pull. Times are UTC seconds."""

    store: Path
    cluster: str
    program: str
    fields: tuple[str, ...]
    folder: Path
    who: str
    now_s: int
    program_version: str
    timeout_s: float
    began: float = field(default_factory=time.monotonic)

    def clock_s(self) -> int:
        """Now: the given start of the pull plus what has passed since, rounded down."""
        return self.now_s + int(time.monotonic() - self.began)


def pull(
    store: Path,
    *,
    cluster: str,
    since_s: int | None,
    until_s: int,
    who: str,
    now_s: int,
    program_version: str,
    sacct: str = "sacct",
    chunk_hours: int = 24,
    overlap_hours: int = 2,
    timeout_s: float = 600.0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Batch, ...]:
    """Read [since, until) of `cluster` through sacct into the raw store.

    Args:
        store: the raw store; made where there is none.
        cluster: its name in slurmdbd.
        since_s: UTC seconds; None: from the watermark less `overlap_hours`.
        until_s: UTC seconds, half-open; never read past `now_s`.
        who: who reads, for the batch.
        now_s: the time at which the pull begins, UTC seconds.
        program_version: of hesuan, for the batch.
        sacct: name or path of the program.
        chunk_hours: width of a window; halved down to one hour where slurmdbd refuses it as too wide or large.
        overlap_hours: how far before the watermark a pull begins.
        timeout_s: how long one command may take.
        progress: called with (seconds of the window read, seconds in all) after each window.

    Returns:
        One batch for each window, then one for each group of open runs that was read again. Empty where nothing
        is left to read before `until_s`. The watermark moves up to a window's end where there is no gap between
        it and what was read before; a pull of older times, or one that leaves a gap, does not move it.

    Raises:
        HesuanError: a `live.*` key; the windows before the fault are in the store.
    """
    if chunk_hours < 1 or overlap_hours < 0:
        raise HesuanError("live.bad_hours", chunk=chunk_hours, overlap=overlap_hours)
    end_s = min(until_s, now_s)
    start_s = _start(store, cluster, since_s, overlap_hours * HOUR_S)
    if start_s >= end_s:
        if since_s is None:
            return ()
        raise HesuanError("live.empty_window", since=utc_text(since_s), until=utc_text(end_s))
    program = find_program(sacct)
    with tempfile.TemporaryDirectory(prefix="hesuan-sacct-") as name:
        folder = Path(name)
        site_findings = check_site(program, cluster, folder, timeout_s)
        fields = _fields(program, folder, timeout_s)
        this = _Pull(store, cluster, program, fields, folder, who, now_s, program_version, timeout_s)
        return _read(this, (start_s, end_s), chunk_hours * HOUR_S, site_findings, progress)


def _start(store: Path, cluster: str, since_s: int | None, overlap_s: int) -> int:
    """Where the pull begins, UTC seconds."""
    if since_s is not None:
        return since_s
    read_to_s = watermark(store, cluster)
    if read_to_s is None:
        raise HesuanError("live.no_start", cluster=cluster)
    return read_to_s - overlap_s


def _fields(program: str, folder: Path, timeout_s: float) -> tuple[str, ...]:
    """The fields that this sacct knows and we want."""
    out = folder / "helpformat.out"
    run([program, "--helpformat"], out, timeout_s=timeout_s).check()
    return choose_fields(out.read_text(encoding="utf-8", errors="replace"))


def _read(
    this: _Pull,
    window: tuple[int, int],
    width_s: int,
    site_findings: Sequence[Finding],
    progress: Callable[[int, int], None] | None,
) -> tuple[Batch, ...]:
    """All windows, then the runs that are still open and that none of the windows brought."""
    batches = _read_windows(this, window, width_s, (), site_findings, progress)
    left = open_runs(this.store, this.cluster, before_s=window[0], seen=[b.batch_id for b in batches])
    for first in range(0, len(left), OPEN_RUNS_AT_ONCE):
        group = left[first : first + OPEN_RUNS_AT_ONCE]
        # Oldest start first: nothing of these runs lies before it, and an older job of the same id stays out.
        span = (group[0].start_s, window[1])
        batches += _read_windows(this, span, span[1] - span[0], group, (), None)
    return tuple(batches)


def _read_windows(
    this: _Pull,
    window: tuple[int, int],
    width_s: int,
    runs: Sequence[KnownRun],
    site_findings: Sequence[Finding],
    progress: Callable[[int, int], None] | None,
) -> list[Batch]:
    """The window in pieces of `width_s`, narrower once slurmdbd has refused one; one batch for each piece."""
    start_s, end_s = window
    findings = tuple(site_findings)
    batches: list[Batch] = []
    at_s = start_s
    while at_s < end_s:
        piece = (at_s, min(at_s + width_s, end_s))
        read_at_s = this.clock_s()
        ran, answer = _ask(this, piece, [r.job_id_raw for r in runs])
        if ran.too_large and piece[1] - piece[0] > HOUR_S:
            width_s = max(HOUR_S, (piece[1] - piece[0]) // 2)
            continue
        empty = _judge(this, ran, answer)
        if empty and not runs:
            read_at_s = this.clock_s()
            ran, answer, doubt = _ask_again(this, piece)
            findings += doubt
        if not (empty and runs):  # runs of the store that are gone from slurmdbd say nothing
            batches.append(_keep(this, answer, ran, None if runs else piece, read_at_s, findings))
            findings = ()
        at_s = piece[1]
        if progress is not None:
            progress(at_s - start_s, end_s - start_s)
    return batches


def _ask(this: _Pull, window: tuple[int, int], job_ids: Sequence[int]) -> tuple[Ran, Path]:
    """Run sacct for a window; its end and the file with its answer."""
    answer = this.folder / "answer.out"
    argv = sacct_arguments(this.program, this.cluster, this.fields, window, job_ids)
    return run(argv, answer, timeout_s=this.timeout_s), answer


def _judge(this: _Pull, ran: Ran, answer: Path) -> bool:
    """See that the answer is whole; True where it holds a header and no record.

    Raises:
        HesuanError: `live.failed`, `live.no_header` (the first line is not the fields that were asked), or
            `live.cut_off` (the last line has no end: a full disk, or a program that died).
    """
    ran.check()
    header = DELIMITER.join(this.fields) + DELIMITER + "\n"
    size = answer.stat().st_size
    with answer.open("rb") as read:
        first = read.read(len(header))
        read.seek(max(0, size - 2))
        last = read.read()
    if first.decode("utf-8", "replace").lower() != header.lower():
        seen = first.decode("utf-8", "replace").split("\n", 1)[0].replace(DELIMITER, "|")
        raise HesuanError("live.no_header", command=ran.command, seen=seen or "-")
    if last != f"{DELIMITER}\n".encode():
        raise HesuanError("live.cut_off", command=ran.command, size=size, folder=this.folder.parent)
    return size == len(header)


def _ask_again(this: _Pull, window: tuple[int, int]) -> tuple[Ran, Path, tuple[Finding, ...]]:
    """After an empty answer: see that slurmdbd can read its job table at all, then ask the window once more.

    Raises:
        HesuanError: `live.silent` where a run that the store knows does not come either.
    """
    known = newest_run(this.store, this.cluster, before_s=this.now_s)
    if known is not None:
        moment = (known.start_s, known.start_s + 1)  # narrower than any MaxQueryTimeRange
        ran, answer = _ask(this, moment, [known.job_id_raw])
        if _judge(this, ran, answer):
            raise HesuanError("live.silent", command=ran.command, job=known.job_id_raw, cluster=this.cluster)
    ran, answer = _ask(this, window, ())
    _judge(this, ran, answer)
    if known is not None or answer.stat().st_size > len(DELIMITER.join(this.fields)) + 2:
        return ran, answer, ()
    doubt = Finding(
        "sacct", ran.command, "empty-not-confirmed",
        "no run in this window, and none known to test slurmdbd with; when this cluster did work then, read the"
        " window again with --since",
    )  # fmt: skip
    return ran, answer, (doubt,)


def _keep(
    this: _Pull,
    answer: Path,
    ran: Ran,
    window: tuple[int, int] | None,
    read_at_s: int,
    findings: Sequence[Finding],
) -> Batch:
    """Put one answer into the store as a batch, the watermark with it where it may move."""
    batch = ingest_file(
        this.store,
        answer,
        cluster=this.cluster,
        who=this.who,
        now_s=read_at_s,
        program_version=this.program_version,
        origin=ran.command,
        window=window,
        read_at_s=read_at_s,
        read_to_s=window and moved_to(watermark(this.store, this.cluster), window),
    )
    said = tuple(
        Finding("sacct", ran.command, "sacct-stderr", f"sacct ended with exit code 0 and said: {line}")
        for line in ran.remarks
    )
    added = add_findings(
        this.store, batch.batch_id, (*findings, *said), now_s=read_at_s, program_version=this.program_version
    )
    return replace(batch, findings=batch.findings + added)
