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
