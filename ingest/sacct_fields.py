"""The fields that sacct prints: their names, and what a value of each may look like.

Names are those of `sacct --helpformat`, Slurm 17.02 to 26.05. sacct escapes nothing, so the delimiter and even a
newline may stand inside the text that users wrote themselves. What the other fields may look like is therefore
what tells where such a text ends.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal[
    "job_id", "number", "time", "duration", "held", "limit", "state", "tres", "exit_code", "word", "text"
]

_NAMES: dict[Kind, str] = {
    "job_id": "JobID JobIDRaw",
    "number": """AllocCPUS AllocNodes AssocID CPUTimeRAW DBIndex GID NCPUS NNodes NTasks Priority QOSRAW
        ReqCPUS ReqNodes ReservationId ResvCPURAW PlannedCPURAW Restarts UID WCKeyID ConsumedEnergyRaw SegmentSize""",
    "time": "Submit Eligible Start End",
    "duration": "AveCPU CPUTime MinCPU Planned PlannedCPU Reserved ResvCPU SystemCPU TotalCPU UserCPU",
    "held": "Elapsed ElapsedRaw Suspended",
    "limit": "Timelimit TimelimitRaw",
    "state": "State",
    "tres": "AllocTRES ReqTRES",
    "exit_code": "ExitCode DerivedExitCode",
    "word": """Account AllocGRES AveCPUFreq AveDiskRead AveDiskWrite AvePages AveRSS AveVMSize BlockID Cluster
        ConsumedEnergy Exclusive FailedNode Flags Group Layout MaxDiskRead MaxDiskReadNode MaxDiskReadTask
        MaxDiskWrite MaxDiskWriteNode MaxDiskWriteTask MaxPages MaxPagesNode MaxPagesTask MaxRSS MaxRSSNode
        MaxRSSTask MaxVMSize MaxVMSizeNode MaxVMSizeTask McsLabel MinCPUNode MinCPUTask NodeList OriginalSLUID
        OverSubscribe Partition QOS QOSREQ Reason ReqCPUFreq ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ReqGRES
        ReqMem ReqReservation Reservation SLUID TRESUsageInAve TRESUsageInMax TRESUsageInMaxNode TRESUsageInMaxTask
        TRESUsageInMin TRESUsageInMinNode TRESUsageInMinTask TRESUsageInTot TRESUsageOutAve TRESUsageOutMax
        TRESUsageOutMaxNode TRESUsageOutMaxTask TRESUsageOutMin TRESUsageOutMinNode TRESUsageOutMinTask
        TRESUsageOutTot User WCKey""",
    # What users write themselves; a constraint and a licence list hold '|' as their "or".
    "text": """JobName Comment SubmitLine WorkDir AdminComment SystemComment Constraints Container Extra Licenses
        StdIn StdOut StdErr""",
}
KINDS: dict[str, Kind] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_BY_LOWER = {name.lower(): name for name in KINDS}

# What raw_sacct keeps, in its order, each by the first of its names that a file has.
KEPT: dict[str, tuple[str, ...]] = {
    "cluster": ("Cluster",),
    "job_id_raw": ("JobIDRaw",),
    "job_id": ("JobID",),
    "db_index": ("DBIndex",),
    "sluid": ("SLUID",),
    "account": ("Account",),
    "user_name": ("User",),
    "partition": ("Partition",),
    "qos": ("QOS",),
    "wckey": ("WCKey",),
    "reservation": ("Reservation",),
    "state": ("State",),
    "submit_s": ("Submit",),
    "eligible_s": ("Eligible",),
    "start_s": ("Start",),
    "end_s": ("End",),
    "elapsed_s": ("ElapsedRaw", "Elapsed"),
    "suspended_s": ("Suspended",),
    "timelimit_s": ("TimelimitRaw", "Timelimit"),
    "alloc_tres": ("AllocTRES",),
    "alloc_cpus_count": ("AllocCPUS", "NCPUS"),
    "nodes_count": ("NNodes", "AllocNodes"),
    "node_list": ("NodeList",),
    "energy": ("ConsumedEnergyRaw",),
    "total_cpu_ms": ("TotalCPU",),
    "job_name": ("JobName",),
}

# Words that say "nothing here". (null) is printf's of a missing string.
BLANK = ("", "Unknown", "None", "N/A", "NONE", "(null)")
NO_LIMIT = ("UNLIMITED", "Partition_Limit", "INVALID")
# NO_VAL and INFINITE of slurm.h in 32 and 64 bits. The 16-bit pair (65534, 65535) is no sentinel in any column
# that is kept: they are all of 32 or 64 bits, and a run may well last 65,534 seconds.
SENTINELS_32 = (4294967294, 4294967295)
SENTINELS_64 = ("18446744073709551614", "18446744073709551615")

_STATES = (
    "BOOT_FAIL|CANCELLED|COMPLETED|COMPLETING|CONFIGURING|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PENDING|PREEMPTED|"
    "RECONFIG_FAIL|REQUEUED|REQUEUE_FED|REQUEUE_HOLD|RESIZING|RESV_DEL_HOLD|REVOKED|RUNNING|SIGNALING|SPECIAL_EXIT|"
    "STAGE_OUT|STOPPED|SUSPENDED|TIMEOUT"
)
_BLANKS = "|".join(re.escape(word) for word in BLANK if word)
_PATTERNS: dict[Kind, str] = {
    "job_id": r"\d+(_\S+|\+\d+)?(\.\S+)?",
    "number": rf"-?\d*|{_BLANKS}",
    "time": rf"\d+|\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|[+-]\d\d:?\d\d)?|{_BLANKS}",
    "held": r"-?\d+|(\d+-)?\d+:\d\d:\d\d",
    "duration": rf"-?\d*|-?(\d+-)?(\d+:)?\d+:\d\d(\.\d+)?|{_BLANKS}|INVALID",
    "limit": rf"\d*|(\d+-)?(\d+:)?\d+:\d\d|{_BLANKS}|{'|'.join(NO_LIMIT)}",
    "state": rf"({_STATES})( by \S+)?",
    "tres": r"|[A-Za-z][\w/:.\-]*=[^,=|\s]*(,[A-Za-z][\w/:.\-]*=[^,=|\s]*)*",
    "exit_code": r"|\d+:\d+",
    "word": r"\S*|None assigned",
    "text": r"(?s:.*)",
}
STRICT: dict[Kind, re.Pattern[bytes]] = {kind: re.compile(text.encode()) for kind, text in _PATTERNS.items()}
# When the strict reading finds no place: a state of a later Slurm, names with blanks in them, and nothing where sacct
# always prints something.
RELAXED = STRICT | {
    "state": re.compile(rb"[A-Z][A-Z_]*( by \S+)?"),
    "word": re.compile(rb"[^\n\r\t]*"),
    "time": re.compile(_PATTERNS["time"].encode() + rb"|"),
    "held": STRICT["duration"],
}


def canonical(name: str) -> str:
    """`name` as sacct spells it: case and a `%30` width apart. A name that is not known stays as it is."""
    bare = name.strip().split("%")[0]
    return _BY_LOWER.get(bare.lower(), bare)
