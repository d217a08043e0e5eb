"""Assignments of hybrids, written to a folder."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import xarray as xr

from supersample.errors import InputError, in_one_line
from supersample.presentation.labels import names_of
from supersample.results.outputs import write_texts
from supersample.results.signature import signature


def write_assignments(folder: Path, blocks: Iterable[xr.Dataset]) -> list[str]:
    """Write the assignments of hybrids, block after block; otherwise as `write_comparison`.

    ``assignments.tsv`` has a row for each hybrid: its number, its two systems, and for each segment
    a 1 where it comes from the first of them and a 0 where from the second. ``segments.txt`` has
    the labels of these segments, a line each, and ``assignments.json`` how to make it again. The
    blocks are those of `assignment_blocks`.
    """
    partial = folder / ".assignments.tsv.partial"
    written = 0
    later = iter(blocks)
    first = next(later)  # may refuse its input, before anything is made
    if "from_first" not in first:
        raise InputError("assignments.tsv holds hybrids of two systems only")
    with in_one_line(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with partial.open("w", encoding="utf-8") as stream:
            stream.write("hybrid\tfirst\tsecond\tfrom_first\n")
            for block in chain([first], later):
                stream.writelines(_assignment_rows(block))
                written += block.sizes["hybrid"]
        partial.replace(folder / "assignments.tsv")
        labels = names_of(first, "segment")
        facts = {**first.attrs, "hybrids": written, "segments": len(labels)}
        facts["signature"] = signature(n=f"{written} hybrids", **first.attrs)
        segments = write_texts(folder, "segments", {"txt": "\n".join([*labels, ""])})
        made = write_texts(folder, "assignments", {"json": json.dumps(facts, indent=2)})
        return ["assignments.tsv", *segments, *made]


def _assignment_rows(block: xr.Dataset) -> Iterator[str]:
    systems = block["system"].to_numpy()
    names = (systems[block[f"{which}_system"].to_numpy()] for which in ("first", "second"))
    digits = np.where(block["from_first"].to_numpy(), b"1", b"0")
    for number, *two, marks in zip(block["hybrid"].to_numpy(), *names, digits, strict=True):
        yield "\t".join(map(str, (number, *two, marks.tobytes().decode("ascii")))) + "\n"
