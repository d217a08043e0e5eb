"""Whatever is changed in a store is seen: the right result comes back, or one line refuses it.

Bits are flipped, files cut, lengthened and removed, and copied over others of the same store or of
one with other parameters, whose own checksums are right.
"""

import random
import shutil

import pytest

import supersample as ss
from supersample.execution.stores.places import CHECKSUMS
from tests.faults.test_damage import refused
from tests.stores import SCORES
from tests.toy_sets import write_test_set

COUNTS = [10, pytest.param(300, marks=pytest.mark.faults)]
SMALL = {"workers": "synchronous"}


def flip(file, _, rng):
    content = bytearray(file.read_bytes())
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)


def cut(file, _, rng):
    file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size or 1)])


def lengthen(file, _, rng):
    file.write_bytes(file.read_bytes() + rng.randbytes(3))


def remove(file, *_):
    file.unlink()


def swap(file, others, rng):
    shutil.copy(rng.choice([other for other in others if other != file]), file)


HARMS = [flip, flip, cut, lengthen, remove, swap, swap, swap]


def run(path, other):
    ss.hybrids.run_hybrids(SCORES, path, n=150, chunk=50, seed=5 if other else 4, **SMALL)
    return ss.hybrids.open_run(path).load()


def scores(path, other):
    if not path.exists():
        ss.write_scores(SCORES.isel(system=slice(1, 4)) if other else SCORES, path)
    return ss.read_dataset(path)


def sweep(path, other):
    seeds = [2, 3] if other else [0, 1]
    return ss.sampling.sweep({"inputs": [{"example": True}], "n": [60], "seeds": seeds}, path)


def task(path, other):
    sets = path.parent / "sets"
    if not sets.exists():
        write_test_set(sets)
    seed = {"seed": 1} if other else {}
    return ss.tasks.run_tasks("wmt23", sets, path, language_pairs=["en-de"], resamples=9, **seed)


def texts(path, other):
    pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    four = SCORES.isel(segment=slice(4))
    names = [str(name) for name in four["system"].values]
    end = "z" if other else "d"
    lines = {name: [f"a {name} {i} b c {end}" for i in range(4)] for name in names}
    found = ss.corpus.Texts(lines, [[f"a system {i} b c d" for i in range(4)]])
    return ss.corpus.add_corpus_metrics(four, found, ["bleu"], cache=path)


STORES = {
    "run.zarr": run,
    "scores.zarr": scores,
    "scores.nc": scores,
    "sweep": sweep,
    "task": task,
    "texts": texts,
}


@pytest.fixture(scope="module", params=STORES)
def store(request, tmp_path_factory):
    """What makes or reads a store, one that is whole, one of other parameters, and the result."""
    folder, work = tmp_path_factory.mktemp("stores"), STORES[request.param]
    whole = folder / request.param
    work(folder / f"other-{request.param}", True)
    work(whole, False)
    return work, whole, folder / f"other-{request.param}", work(whole, False)


def files(path):
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    own = ("sessions", "partial", "lengths")  # who computed when, which no result depends on
    return [x for x in found if x.is_file() and x.suffix != ".lock" and x.parent.name not in own]


@pytest.mark.posix("symbolic links")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("count", COUNTS)
def test_every_change_is_seen(store, tmp_path, count):
    work, whole, other, right = store
    rng, became = random.Random(count), {"right": 0, "refused": 0, "told": 0}
    for number in range(max(3, count // len(STORES))):
        path = tmp_path / f"{number}" / whole.name
        path.parent.mkdir()
        copy = shutil.copytree if whole.is_dir() else shutil.copy
        copy(whole, path)
        if (whole.parent / "sets").exists():
            (path.parent / "sets").symlink_to(whole.parent / "sets")
        harms = HARMS if whole.is_dir() else HARMS[:4]  # another whole file is another file
        chosen, harm = rng.choice(files(path)), rng.choice(harms)
        before = chosen.read_bytes()
        harm(chosen, [*files(path), *files(other)], rng)
        if chosen.exists() and chosen.read_bytes() == before:
            continue
        try:
            found = refused(lambda path=path: work(path, False))
        except ss.UncheckedWarning:  # the file of checksums is gone, and the user is told so
            assert chosen.name == CHECKSUMS
            became["told"] += 1
            continue
        became["refused" if found is None else "right"] += 1
        if found is not None and chosen.exists():
            assert found.drop_attrs().identical(right.drop_attrs()), (chosen, harm)
        shutil.rmtree(path.parent)
    assert sum(became.values()) > 0
