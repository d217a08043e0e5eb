"""Long tables of scores and other files for the tests of commands, and how commands refuse."""

import csv

import supersample as ss

HEADER = "system,segment,scorer,score\n"
QUICK = ["--hybrids", "60"]


def table_text(scores, delimiter=","):
    """Write scores as a long table."""
    rows = ["system,segment,scorer,score"]
    for system in scores["system"].values:
        for segment in scores["segment"].values:
            place = {"system": system, "segment": segment}
            human = scores["human"].sel(place).item()
            rows.append(f"{system},{segment},people,{human!r}")
            for metric in scores["metric"].values:
                value = scores["score"].sel({**place, "metric": metric}).item()
                rows.append(f"{system},{segment},{metric},{value!r}")
    return "\n".join(rows).replace(",", delimiter) + "\n"


SCORES = ss.simulate_scores(
    systems=5, segments=6, correlations={"good": 0.9, "ter": 0.8}, lower_is_better=("ter",), seed=3
)


def rows_of(path):
    """Rows of a file that a command wrote, as texts by column."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_refused(result, message=""):
    """Check that a command ended with one line and no output."""
    assert result.status == 2
    assert result.out == ""
    lines = result.err.splitlines()
    assert len(lines) == 1
    assert len(result.err) < 1000
    assert lines[0].startswith("error: ")
    assert message in lines[0]


def write_files(folder, files):
    """Write files into a folder, which is returned: texts or bytes by name."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
