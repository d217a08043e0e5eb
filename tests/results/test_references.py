"""The bibliography has an entry of each method's name, and none twice."""

import re
from collections import Counter
from importlib.resources import files

import supersample as ss
from supersample.inference.two_correlations import (
    INDEPENDENT,
    NON_OVERLAPPING,
    OVERLAPPING,
)
from supersample.results.outputs import references_of

BIBLIOGRAPHY = (files("supersample") / "results/references.bib").read_text("utf-8")
ENTRY = re.compile(r"^@(\w+)\{(\w+),\n((?:  .+\n)+)\}$", re.MULTILINE)


def test_every_test_of_two_correlations_has_its_source():
    keys = {key for _, key, _ in ENTRY.findall(BIBLIOGRAPHY)}
    methods = {
        name for name in (*OVERLAPPING, *NON_OVERLAPPING, *INDEPENDENT) if name[-4:].isdigit()
    }
    assert methods - keys == set()


def test_entries_are_complete_and_in_order():
    entries = ENTRY.findall(BIBLIOGRAPHY)
    assert len(entries) == BIBLIOGRAPHY.count("\n@")
    assert max(Counter(key for _, key, _ in entries).values()) == 1
    years = [re.search(r"year = \{(\d{4})\}", body).group(1) for _, _, body in entries]
    assert all(key.endswith(year) for (_, key, _), year in zip(entries, years, strict=True))
    assert years == sorted(years)
    assert all(re.search(r"author = .*\n  title = ", body) for _, _, body in entries)


def keys_of(result):
    return {key for _, key, _ in ENTRY.findall(references_of(result))}


OF_BORROWED = {"tukey1958", "fisher1921", "smyth2004"}
OF_JOINT_REPLICATES = {"westfall1993", "romano2005"}


def test_p_values_of_all_pairs_have_their_own_sources():
    scores = ss.load_example()
    soft = keys_of(ss.compare(scores, "SPA", resamples=9))
    assert soft >= OF_JOINT_REPLICATES | {"thompson2024"}
    assert not soft & (OF_BORROWED | {"kocmi2021"})  # PA by itself is not in SPA
    for over_systems in (
        ss.correlations.compare_correlations(scores, method="fisher-jackknife"),
        ss.rank(scores, random="systems"),
    ):
        assert keys_of(over_systems) >= OF_BORROWED
        assert not keys_of(over_systems) & OF_JOINT_REPLICATES
    drawn = keys_of(ss.rank(scores, random="segments", method="percentile", resamples=19))
    assert drawn >= OF_JOINT_REPLICATES
    assert not drawn & OF_BORROWED


def test_both_accuracies_are_cited_where_both_are_given():
    found = keys_of(ss.compare(ss.load_example(), ["SPA", "PA"], resamples=9))
    assert found >= {"thompson2024", "kocmi2021", "deutsch2021"}
