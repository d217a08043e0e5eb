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


def test_numbers_of_language_pairs_are_listed(command):
    status, out, _ = command("fetch", "--list")
    assert status == 0
    assert "wmt23: language pairs 14, with human scores 9" in out.splitlines()
    refused = command("fetch", "wmt23", "--list")
    assert (refused.status, refused.out) == (2, "")
    assert "--list does not go with SET; leave --list out" in refused.err
    status, out, err = command("fetch", "wmt03")
    assert (status, out) == (2, "")
    assert "no public set 'wmt03': did you mean '" in err
