"""Files whose names give the same system are refused, whichever would win."""

import json
import random

import pytest

import supersample as ss

COUNTS = [20, pytest.param(500, marks=pytest.mark.faults)]
SUFFIXES = ("", ".txt", ".score", ".txt.bak", ".score.old", ".txt~")
SCORES = ss.load_example().isel(system=slice(3), segment=slice(5))
SYSTEMS = [str(name) for name in SCORES["system"].values]


def lines_of(system):
    return "".join(f"{SYSTEMS.index(system)}.{i}\n" for i in range(5))


def added(folder):
    return ss.add_metric(SCORES, "x", folder, orientation="higher-is-better")


@pytest.mark.parametrize("count", COUNTS)
def test_two_files_of_a_system_in_a_folder(tmp_path, count):
    for number in range(count):
        draw = random.Random(number)
        folder = tmp_path / str(number)
        folder.mkdir()
        names = [f"{system}{draw.choice(SUFFIXES[:4])}" for system in SYSTEMS]
        if twice := draw.random() < 0.5:
            again = draw.choice(SYSTEMS)
            others = [again + end for end in SUFFIXES if again + end not in names]
            names.append(draw.choice(others))
        for name in names:
            system = next(system for system in SYSTEMS if name.startswith(system))
            text = lines_of(system) if names.index(name) < 3 else "9\n" * 5
            (folder / name).write_text(text)
        if twice:
            with pytest.raises(ss.InputError, match="both give the name"):
                added(folder)
        else:
            assert added(folder)["score"].sel(metric="x")[1, 2] == 1.2


def test_two_outputs_of_one_name(tmp_path):
    path = tmp_path / "x.json"
    of_files = {f"{run}/s0.txt": [{"COMET": i}] * 2 for i, run in enumerate("ab")}
    path.write_text(json.dumps(of_files))
    with pytest.raises(ss.InputError, match="both give the name 's0'"):
        ss.read_table(path)


def test_two_texts_of_a_system(tmp_path):
    outputs = tmp_path / "set" / "system-outputs" / "en-de"
    outputs.mkdir(parents=True)
    for end in (".txt", ".jsonl"):
        (outputs / f"A{end}").write_text("a")
    with pytest.raises(ss.InputError, match="both give the name 'A'"):
        ss.read_mtme_texts(tmp_path, "set", "en-de", systems=["A"])
