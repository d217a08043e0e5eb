"""Texts as files give them, and what is said of files that do not fit."""

import pytest

from supersample import InputError
from supersample.readers.added_metrics import read_mtme_texts, read_texts
from supersample.scores.corpus import Texts


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def test_lines_are_those_of_editors(write):
    # a line separator and a form feed do not end a line; an empty one is a line; \r\n does
    a = write("a.txt", "one\u2028still\r\n\x0ctwo\n\n")
    b = write("b.txt", "\ufeffeins\nzwei\ndrei")
    texts = read_texts({"A": a}, [b])
    assert texts.hypotheses["A"] == ("one\u2028still", "\x0ctwo", "")
    assert texts.references == [("eins", "zwei", "drei")]
    assert texts.segments == 3
    assert texts.reference == "b.txt"


def test_different_lengths_are_named_with_their_lines(write):
    files = {name: write(f"{name}.txt", "x\n" * n) for name, n in (("A", 3), ("B", 2), ("C", 3))}
    with pytest.raises(InputError) as error:
        read_texts(files, [write("ref.txt", "x\n" * 3)])
    said = str(error.value)
    assert said.startswith("texts of different lengths: 3 lines in ")
    assert "\n" not in said
    assert f"2 lines in {files['B']}" in said
    assert all(name in said for name in ("A.txt", "C.txt", "ref.txt"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"gut\nsch\xf6n\n", r"a\.txt, line 2: not UTF-8 text \(byte 0xf6\)"),
        (b"", r"a\.txt is empty"),
    ],
)
def test_unreadable_files_are_named(write, content, message):
    with pytest.raises(InputError, match=message):
        read_texts({"A": write("a.txt", content)}, [write("r.txt", "x\n")])


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read_texts({"A": tmp_path}, [])


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        ({}, [["a"]], "no texts of systems"),
        ({"A": ["a"]}, [], "no reference text"),
        ({"A": ["a"]}, [["a"], ["a", "b"]], "1 lines in system A, reference 1; 2 lines in refer"),
    ],
)
def test_texts_must_fit_together(hypotheses, references, message):
    with pytest.raises(InputError, match=message):
        Texts(hypotheses, references)


def test_mtme_folders(write, tmp_path):
    write("t/system-outputs/en-de/A.txt", "a\nb\n")
    write("t/system-outputs/en-de/B.1.txt", "c\nd\n")
    write("t/references/en-de.refA.txt", "r\ns\n")
    write("t/references/en-de.refB.txt", "t\nu\n")
    texts = read_mtme_texts(
        tmp_path, "t", "en-de", systems=["B.1", "A"], references=["refA", "refB"]
    )
    assert list(texts.hypotheses) == ["B.1", "A"]
    assert texts.references == [("r", "s"), ("t", "u")]
    assert texts.reference == "refA,refB"
    with pytest.raises(InputError, match=r"no en-de output of 'C' .*; there are A, B\.1"):
        read_mtme_texts(tmp_path, "t", "en-de", systems=["C"])
    with pytest.raises(InputError, match=r"no en-de reference 'refC' .*; there are refA, refB"):
        read_mtme_texts(tmp_path, "t", "en-de", systems=["A"], references=["refC"])
