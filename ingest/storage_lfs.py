"""`lfs quota -u`, `-g` or `-p`, as Lustre prints it, for one owner or for many one after the other.

A block opens with `Disk quotas for usr alice (uid 1001):` (grp, prj), then a line of headers and one of figures: path,
kbytes, quota, limit, grace, files, quota, limit, grace. A long path stands on a line of its own. kbytes are KiB; `*` marks
what is over its quota, `[ ]` what a target that did not answer makes too small. `-h` rounds and is refused; the lines that
`-v` adds for each target are part of the sum already.
"""

from __future__ import annotations

import polars as pl

from ingest.other_rows import Fault, lines_of
from models.errors import HesuanError

BEGINS = r"(?m)^\s*Disk quotas for (?:usr|grp|prj) "
_HEAD = r"^\s*Disk quotas for (usr|grp|prj) (.+?)(?: \([ugp]id \d+\))?:\s*$"
_SILENT = (
    r"^\s*$|^\s*Disk quotas for |^\s*Filesystem\s+(kbytes|used)\s|^[ugp]id \S+ is using default |^Total allocated "
    r"|^Some errors happened when getting quota info|may be not working or deactivated|^\s*The data in "
)
_FIGURE = r"^\[?(\d+)\]?\*?$"
_OF_KIND = {"usr": "user", "grp": "group", "prj": "fileset"}


def lfs_records(data: bytes, path: object) -> tuple[pl.DataFrame, list[Fault]]:
    """The figures of every block as records of storage, with `by` (user, group or fileset), and what may be wrong.

    Raises:
        HesuanError: `other.several_paths`: quotas of more than one file system, which are more than one storage system.
    """
    lines = lines_of(data).with_columns(pl.col("text").str.extract_groups(_HEAD).alias("head"))
    kind, name = (pl.col("head").struct.field(place) for place in ("1", "2"))
    cells = pl.col("cells")
    owned = lines.with_columns(
        kind.forward_fill().alias("kind"),
        name.forward_fill().alias("owner"),
        pl.col("text").str.extract_all(r"\S+").alias("cells"),
    ).filter(~pl.col("text").str.contains(_SILENT))
    alone = cells.list.len() == 1
    wrapped = (cells.list.len() == 8) & alone.shift(1).fill_null(value=False)
    joined = owned.with_columns(
        wrapped.alias("wrapped"),
        pl.when(wrapped).then(pl.concat_list(cells.shift(1), cells)).otherwise(cells).alias("cells"),
    ).filter(
        ~(alone & pl.col("wrapped").shift(-1).fill_null(value=False))
        & ~cells.list.get(0).str.ends_with("_UUID")
    )
    read = joined.with_columns(
        pl.col("kind").replace_strict(_OF_KIND, default=None, return_dtype=pl.String).alias("by"),
        *(
            pl.when(pl.col("cells").list.len() == 9)
            .then(pl.col("cells").list.get(place, null_on_oob=True))
            .alias(name)
            for place, name in ((0, "path"), (1, "used"), (2, "soft"), (3, "hard"), (5, "files"))
        ),
    )
    paths = read["path"].drop_nulls().unique().sort().to_list()
    if len(paths) > 1:
        raise HesuanError("other.several_paths", path=path, found=", ".join(paths[:5]))
    return read.with_columns(_columns()), _faults()


def _columns() -> list[pl.Expr]:
    """The columns of raw_storage but for system and taken_s."""
    hard, soft = (_number(pl.col(name)) for name in ("hard", "soft"))
    return [
        pl.when(pl.col("by") == by).then(pl.col("owner")).otherwise(pl.lit("")).alias(column)
        for by, column in (("fileset", "fileset"), ("group", "account"), ("user", "user_name"))
    ] + [
        (_number(pl.col("used")) * 1024).alias("used_bytes"),
        (pl.when(hard > 0).then(hard).when(soft > 0).then(soft) * 1024).alias("limit_bytes"),
        _number(pl.col("files")).alias("files_count"),
    ]


def _number(cell: pl.Expr) -> pl.Expr:
    return cell.str.extract(_FIGURE).cast(pl.Int64, strict=False)


def _faults() -> list[Fault]:
    text, used = pl.col("text"), pl.col("used")
    return [
        Fault("field-count", used.is_null(), text),
        Fault("no-owner", pl.col("by").is_null(), text),
        Fault("inaccurate", used.str.contains(r"\["), used),
        Fault("rounded", used.str.contains(r"(?i)^[\d.]+[kmgtpe]\*?$"), used),
        Fault("bad-amount", pl.col("used_bytes").is_null() | (pl.col("used_bytes") < 0), used),
    ]
