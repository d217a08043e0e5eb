"""``supersample fetch``, without a network."""


def test_public_sets_are_listed(command):
    out = command("fetch").done.out
    assert "wmt23: language pairs 14, with human scores 9" in out.splitlines()
    assert "wmt12: system-level scores of WMT12" in out


def test_a_set_that_is_there_is_not_fetched(command, tmp_path):
    (tmp_path / "mt-metrics-eval-v2" / "wmt23").mkdir(parents=True)
    status, out, err = command("fetch", "wmt23", "--to", tmp_path)
    assert (status, out) == (0, f"{tmp_path / 'mt-metrics-eval-v2' / 'wmt23'}\n")
    assert "already exists" in err
    assert "terms of use: https://github.com/" in err
    assert f"rank {tmp_path}/mt-metrics-eval-v2/wmt23 --language-pair all" in err


def test_a_wrong_name_of_a_set_is_refused(command):
    status, out, err = command("fetch", "wmt03")
    assert (status, out) == (2, "")
    assert "no public set 'wmt03': did you mean '" in err
