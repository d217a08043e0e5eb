"""``supersample fetch``, without a network."""


def test_public_sets_are_listed_with_their_terms(command):
    status, out, _ = command("fetch")
    assert status == 0
    assert "wmt23: wmt23 of the WMT metrics task" in out
    assert "terms: https://github.com/" in out


def test_a_set_that_is_there_is_not_fetched(command, tmp_path):
    (tmp_path / "mt-metrics-eval-v2" / "wmt23").mkdir(parents=True)
    status, out, err = command("fetch", "wmt23", "--to", tmp_path)
    assert (status, out) == (0, f"{tmp_path / 'mt-metrics-eval-v2' / 'wmt23'}\n")
    assert "already exists" in err
    assert f"rank {tmp_path}/mt-metrics-eval-v2/wmt23 --language-pair all" in err


def test_language_pairs_and_references_are_listed(command):
    status, out, _ = command("fetch", "--list")
    assert status == 0
    assert "wmt23: language pairs 14, with human scores 9" in out.splitlines()
    for name, pair in (
        ("wmt23", "he-en: reference refB (also refA), human mqm"),
        ("wmt25", "ja-zh_CN: reference refA, human mqm"),
        ("wmt24pp", "en-de_DE: reference posteditB, human none"),
        ("wmt23.sent", "en-de: reference refA, human mqm"),
    ):
        assert f"{name} {pair}" in command("fetch", name, "--list").out.splitlines()
    assert len(command("fetch", "wmt24", "--list").out.splitlines()) == 11
    status, out, err = command("fetch", "wmt03", "--list")
    assert (status, out) == (2, "")
    assert "no public set 'wmt03': did you mean '" in err


def test_files_are_listed_and_what_was_made_by_hand(command):
    status, out, _ = command("fetch", "wmt15", "--list")
    assert status == 0
    lines = out.splitlines()
    assert len(lines) == 22
    assert lines[0].startswith("wmt15: hum-sys.cs-en.scores.csv, sha256 9eb21e1d4f")
    assert "wmt15: hum-sys.ru-en.scores.csv, sha256 recorded when it is fetched" in lines
    assert lines[-1].startswith("wmt15: not fetched, made by hand: conclusions.*.tsv, read from")
