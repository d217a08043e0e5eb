import pytest

from supersample import InputError, public_sets
from supersample.readers.public_sets import language_pairs, set_facts, set_names, standard_options

EVERY = [set_facts(name, pair) for name in set_names() for pair in language_pairs(name)]
LEVELS = {"system", "domain", "document", "segment"}


def test_every_set_of_the_archive_is_known_and_fetched():
    assert set_names() == (
        *("wmt19", "wmt20", "wmt21.news", "wmt21.tedtalks", "wmt21.flores"),
        *("wmt22", "wmt23", "wmt23.sent", "wmt24", "wmt24pp", "wmt25"),
    )
    assert set(set_names()) <= public_sets().keys()
    # language pairs a set, as mt-metrics-eval has them
    assert [len(language_pairs(name)) for name in set_names()] == [
        *(18, 18, 16, 3, 4, 21, 14, 1, 11, 55, 16)
    ]


def test_facts_are_consistent():
    for facts in EVERY:
        assert facts.reference in facts.references
        assert set(facts.gold) <= LEVELS
        assert "segment" in facts.gold or not facts.gold
        assert set(facts.reference_free) <= set(facts.primary)
        assert set(facts.baselines) <= set(facts.primary)
        for names in (facts.references, facts.outliers, facts.primary, facts.baselines):
            assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("test_set", "pair", "reference", "human"),
    [
        ("wmt19", "de-en", "ref", "wmt-raw"),
        ("wmt21.news", "en-de", "refC", "mqm"),
        ("wmt22", "cs-en", "refB", "wmt"),
        ("wmt22", "en-uk", "refA", "wmt-appraise"),
        ("wmt23", "he-en", "refB", "mqm"),
        ("wmt23", "de-en", "refA", "da-sqm"),
        ("wmt24", "en-de", "refB", "mqm"),
        ("wmt24", "en-hi", "refA", "esa"),
        ("wmt25", "en-mas_KE", "refA", "esa-human1"),
        ("mine", "en-de", "refA", "mqm"),  # nothing is known
        ("wmt23", "xx-yy", "refA", "mqm"),
    ],
)
def test_standard_reference_and_human_scores(test_set, pair, reference, human):
    assert standard_options(test_set, pair) == {"reference": reference, "human": human}


def test_pairs_that_nobody_rated_have_no_standard_human_scores():
    assert standard_options("wmt23", "en-he") == {"reference": "refB"}
    assert set_facts("wmt24", "en-de").human_systems == ("refA",)
    assert set_facts("wmt23", "en-de").human_systems == ()  # synthetic_ref is an outlier
    assert set_facts("wmt00", "en-de") is None
    with pytest.raises(InputError, match="no public test set 'wmt00'"):
        language_pairs("wmt00")


@pytest.mark.real_data
def test_facts_agree_with_the_files_of_wmt23(data_root):
    root = data_root / "mt-metrics-eval-v2" / "wmt23"
    for pair in ("en-de", "zh-en"):
        facts = set_facts("wmt23", pair)
        assert set(facts.references) == {
            path.stem.removeprefix(f"{pair}.") for path in (root / "references").glob(f"{pair}.*")
        }
        for level, short in (("system", "sys"), ("domain", "domain"), ("segment", "seg")):
            scores = root / "human-scores" / f"{pair}.{facts.gold[level]}.{short}.score"
            assert scores.is_file()
        stems = {path.name.rsplit(".", 2)[0] for path in (root / "metric-scores" / pair).iterdir()}
        names = {stem.rpartition("-")[0]: stem.rpartition("-")[2] for stem in sorted(stems)}
        assert set(facts.primary) <= names.keys()
        free = {name for name in facts.primary if names[name] == "src"}
        assert set(facts.reference_free) == free
