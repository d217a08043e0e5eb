"""The reference has every public name once."""

import inspect
import re
from collections import Counter
from pathlib import Path

import supersample as ss

REFERENCE = Path(__file__).parents[2] / "docs" / "api"
NAMES = re.compile(r"^\.\. names::(?: (?P<room>\w+))?\n\n(?P<names>(?:   \w+\n)+)", re.M)


def test_every_public_name_is_on_one_page():
    texts = [page.read_text("utf-8") for page in REFERENCE.glob("*.md")]
    found = [match for text in texts for match in NAMES.finditer(text)]
    listed = [(match["room"], name) for match in found for name in match["names"].split()]
    rooms = {name for name in ss.__all__ if inspect.ismodule(getattr(ss, name))}
    public = [(None, name) for name in ss.__all__ if name not in rooms]
    public += [(room, name) for room in rooms for name in getattr(ss, room).__all__]
    assert Counter(listed) == Counter(public)


def test_every_page_is_in_the_contents():
    contents = (REFERENCE / "index.md").read_text("utf-8").split("\n")
    assert {page.stem for page in REFERENCE.glob("*.md")} - {"index"} <= {*contents}


def test_the_columns_of_files_are_explained(command, tmp_path):
    assert not command("rank", "example", "-n", "9", "--baseline", "good-90", "--out", "r").status
    assert not command("segments", "example", "--resamples", "9", "--out", "s").status
    assert not command("systems", "example", "--out", "t").status
    headers = [file.read_text().partition("\n")[0] for file in tmp_path.glob("?/*.csv")]
    known = set(re.findall(r"`(\w+)`", (REFERENCE / "columns.md").read_text("utf-8")))
    columns = {name for header in headers for name in header.split(",")}
    assert {x for x in columns if not any(f"{x}_".startswith(f"{y}_") for y in known)} == set()
    assert "significant" not in columns
