"""The one-line rule: a mistake ends with status 2 and one line, and nothing is written.

What each verb refuses is tested at the verb; here is what command lines get wrong, and for each
command a refusal of its verb. Files of scores that are wrong are in `test_mistakes_with_files`.
"""

import shlex

import pytest

import supersample as ss
from tests.long_tables import HEADER, SCORES, check_refused, table_text, write_files
from tests.toy_sets import write_test_set

GOOD = table_text(SCORES)
QE = "METRIC\tSID\tSCORE\tRANK\tHUMAN\na\t0\t1.1\t0\t0.1\na\t1\t1.5\t0\t0.5\na\t2\t1.3\t0\t0.3\n"
FILES = {
    "t.csv": GOOD,
    "u.csv": GOOD,
    "twice.csv": f"{GOOD}system-1,segment-1,good,1\n",
    "gap.csv": f"{GOOD}system-1,segment-1,m,\n",
    "short.csv": f"{HEADER}A,1,m\n",
    "word.csv": f"{HEADER}A,1,m,x\n",
    "lines.csv": f'{HEADER}"A\nB",1,m,x\n',
    "human.csv": f"{HEADER}A,1,human,1\nB,1,human,2\nA,2,human,1\nB,2,human,1\n",
    "systems.csv": "METRIC LP DATA SYSTEM SCORE HUMAN\n"
    + "".join(f"m xx-yy set {system} 0.{3 * i % 7} {i}\n" for i, system in enumerate("ABCDEF")),
    "qe.tsv": QE,
    "qe-word.tsv": QE.replace("1.5", "one"),
    "full/mine.txt": "mine",
}
T = "t.csv --human people"
RUN = "run example --out r.zarr"
POPULATION = "--r .9 --other-r .8 --metric-r .8"
TEXTS = "--corpus-metric bleu --references a.txt"
BIG = "9" * 23
PLAN = "plan --r .9 --other-r .8 --metric-r .8"
DRAWN = "simulate --r .5 --systems"
OUT_OF_RANGE = [
    *(f"rank example -n {n}" for n in (BIG, f"-{BIG}")),
    f"rank example --seed {BIG}",
    f"rank example -m pearson --method both --resamples {BIG}",
    f"rank example --random systems --method bca --resamples {BIG}",
    f"{PLAN} --systems {BIG}",
    f"{PLAN} --segments {BIG}",
    f"{PLAN} --replicates -{BIG}",
    f"test overlapping .9 .8 .8 --systems {BIG}",
    f"test independent .9 .8 --n2 9 --n1 {BIG}",
    f"spa example --resamples {BIG}",
    f"segments example --resamples -{BIG}",
    f"segments example --seed {BIG}",
    f"{DRAWN} {BIG}",
    f"{DRAWN} 9 --replicates {BIG}",
    f"spa example -m SPA:p_values=monte_carlo,permutations={BIG}",
    *(f"{RUN} -n {n}" for n in (BIG, 10**15, 10**13)),
    *(f"{RUN} --chunk {n}" for n in (BIG, 10**13)),
    f"{RUN} --workers {BIG}",
    f"{RUN} --chunk 10 --workers 100000",
    f"{RUN} --part 1/{BIG}",
    *(
        f"{line} --confidence-level={level}"
        for line in (
            *("rank example", "rank example --random systems", "compare example"),
            *("segments example", "spa example", PLAN, f"{DRAWN} 9"),
        )
        for level in ("1e-300", "0.9999999999999999", "nan", "-1")
    ),
]
CASES = [  # a command line, perhaps with a file for its standard input, and what its line says
    *((line, "") for line in OUT_OF_RANGE),
    ("rnak", "No such command 'rnak'"),
    ("resume r.zarr", "No such command 'resume'"),
    # sources
    ("rank", "name one source of scores"),
    ("spa", "name one source of scores"),
    ("run --out r.zarr", "name one source of scores"),
    (f"rank {'x' * 300}.csv", "File name too long"),
    ("rank - < short.csv", "standard input, line 2 has 3 columns, but the header"),
    ("rank - < word.csv", "standard input, line 2: the score 'x' is not a"),
    ("rank - < lines.csv", "standard input, line 3: the score 'x'"),
    ("rank - --human people < twice.csv", "line 92: a second score"),
    ("rank - --human mqm < t.csv", "no scorer 'mqm' in standard input; there are"),
    ("rank gap.csv --human people", "metric 'm'"),
    (f"rank {T} --lower-is-better x", "no scorer 'x'"),
    ("systems t.csv:scale=z", "options of ratings go with --ratings: t.csv --ratings t.csv:scale"),
    (f"rank {T} --exclude x", "no system 'x'"),
    (f"rank {T} --only system-1", "at least 2 systems are"),
    ("rank t.csv:include=system-1 --human people", "include does not go with a table"),
    (f"rank {T} --metrics x", "no metric 'x' in t.csv; there are"),
    (f"rank {T} --metrics good,good", "is named twice"),
    ("rank t.csv --metrics reference", "--metrics reference needs a set"),
    ("rank human.csv", "these Scores have no metric: "),
    ("rank example:reference=x", "reference does not go with"),
    ("rank t.csv:reference=refB", "reference does not go with a table"),
    ("rank ./x/y", "there is no file x/y"),
    ("rank wmt23/en-de,wmt23/zh-en", "several are read by wmt23 --language-pair en-de,zh-en"),
    (f"rank {T} u.csv --by domain", "are already groups"),
    (f"rank {T} u.csv --weight u=2 --weight u=3", "--weight names 'u' twice"),
    (f"rank {T} --ratings no.csv", "there is no file no.csv"),
    (f"compare {T} --add-metric a=x --add-metric a=y", "names 'a' twice"),
    (
        f"compare {T} --higher-is-better a",
        "--higher-is-better is for added metrics, and 'a' is not one",
    ),
    (
        f"compare {T} --add-metric a=x --lower-is-better a --higher-is-better a",
        "'a' is lower-is-better or higher-is-better, not both",
    ),
    (f"inspect {T} --corpus-metric bleu", "--hypotheses SYSTEM=FILE for each system"),
    (f"inspect {T} {TEXTS} --hypotheses x=y", "no system 'x' in the scores"),
    (f"inspect {T} {TEXTS} --hypotheses x", "--hypotheses takes NAME=VALUE, not 'x'"),
    (
        f"inspect {T} {TEXTS} --hypotheses system-1=a --hypotheses system-1=b",
        "--hypotheses names 'system-1' twice",
    ),
    ("run systems.csv --out x", "these are system-level scores without segments"),
    *(
        (f"rank systems.csv {option}", "these scores are of whole systems")
        for option in ("--hybrids 9", "--design mix", "--design pairs:share=0.4")
    ),
    ("spa systems.csv", "this needs segments, which system-level scores do not have"),
    ("inspect example --to full/mine.txt", "mine.txt"),
    (f"rank example --hybrids {10**20}", "fewer than 2**44 = 17,592,186,044,416"),
    ("rank example --hybrids abc", "Invalid value for '--hybrids'"),
    ("rank example --seed -1", "a seed must be an integer from 0"),
    ("rank example --seed", "--seed"),
    ("rank example --design pairs:share=2", "the share must be between 0 and 1"),
    (f"rank {T} --design pairs:unit=document", "have no documents"),
    ("rank example --design triples", "no design 'triples'; there are pairs, mix"),
    ("rank example --design mix:share=0.4", "no option 'share' in the design mix; there are u"),
    ("rank example --design mix:unit", "no design 'mix:unit'"),
    ("rank example --design mix:unit=word", "no unit 'word'"),
    ("rank example --design pairs:share=half", "the share must be a number or 'uni"),
    # tests and intervals
    ("rank example --method x", "no --method 'x'"),
    ("rank example --method bca", "--method bca goes with --measure or --random; without them"),
    ("rank example --random segments --method meng1992", "no bootstrap method 'meng1992'"),
    ("rank example --nonsense", "No such option: --nonsense"),
    ("compare example --method perm-both", "no --method"),
    ("spa example -m SPA:unit=word", "no unit 'word'; there are segment, document"),
    ("spa example --by domain", "these Scores have no domains to group by"),
    ("spa example -m SPA:p_values=none", "method of p-values"),
    ("spa example -m SPA:permutations=9", "goes with p_values=monte_carlo"),
    ("spa example -m SPA:colour=9", "no option 'colour'"),
    ("spa example -m PA -m PA", "each once"),
    ("segments example --measure tau", "no measure 'tau'"),
    ("segments example --measure acc_eq --method scores", "scores"),
    ("qe", "Missing argument"),
    ("qe qe-word.tsv", "line 3: the score 'one' is"),
    ("qe qe.tsv --time PET", "--time and --length go together, as in --time seconds"),
    ("qe qe.tsv --time x --length y", "lengths need the columns system, segment, score"),
    ("test overlapping 1.9 0.8 0.7 --systems 20", "a correlation"),
    ("test overlapping 0.9 0.8 --systems 20", "Missing argument"),
    ("test overlapping --systems 20 0.9 -0.9 0.9", "cannot hold together"),
    ("test overlapping 0.9 0.8 0.9 --systems 2", ""),
    ("test independent 0.9 0.8 --n1 3 --n2 1", ""),
    ("test independent 0.9 x --n1 12 --n2 15", "Invalid value for 'r2'"),
    # studies
    ("simulate --r 0.9", "--systems"),
    ("simulate --r nan --systems 5", "a correlation must be from -1 to 1, not nan"),
    ("simulate --r 0.9 --systems 3", "a sample here has at least 4 systems (n), not 3"),
    ("plan --r 0.9", "plan needs three correlations, such as --r 0.9 --other-r"),
    (f"plan example {POPULATION}", "a table needs --first and --second"),
    ("plan example --first a --second b", "no metric 'a'"),
    # runs, tasks, sets
    ("run example", "name one: --out PATH, --resume RUN, --status RUN"),
    ("run --resume a.zarr --status a.zarr", "name one: --out PATH, --resume RUN, --status RUN"),
    ("run example --resume a.zarr", "--resume RUN has its scores; leave the source of scores out"),
    ("run --resume a.zarr", "there is no run a.zarr"),
    ("run --status .", ". is no run of supersample"),
    ("run example --out /proc/run.zarr", "/proc/"),
    (f"{RUN} --part 1", "--part takes N/M, as in 1/4"),
    (f"{RUN} --part 3/2", "there is no part 3"),
    (f"{RUN} --scheduler gpu", "slurm or an address"),
    (f"{RUN} --scheduler tcp://a:1 --workers 2", "has workers already"),
    ("task wmt99 --mtme sets --out o", "no task 'wmt99'"),
    ("task wmt23 --mtme sets --out o", "no language pair 'he-en' in sets/wmt23/documents; for"),
    ("task wmt23", "wmt23: run supersample fetch wmt23, or set the environment variable"),
    ("task", "Missing argument 'FILE'. Name of a shared task (wmt23"),
    ("sweep nothing.toml --out o", "nothing.toml"),
    ("systems t.csv,u.csv", "there is no file t.csv,u.csv; several files have spaces between"),
    ("fetch wmt03", "no public set 'wmt03': did you mean '"),
    # output
    (f"rank example --out {'x' * 300}", "File name too long"),
    ("rank example --out full", "the folder full is not empty; name another, or use --overwrite"),
    ("rank example --out t.csv --overwrite", "is a file; name a folder"),
    ("rank example --out t.csv/deeper", "is a file; name a folder"),
    (
        "rank example --out o --figures main:width=acl3",
        "a figure's width is acl1, acl2 or 1.5 to 60",
    ),
    ("rank example --out o --figures forest,pie", "no kind of figure 'pie'; there are"),
    ("rank example --out o --figures all,forest", "the figures 'all' cannot be combined"),
]

P_VALUES = "does not go with --measure or --random"
OF_RUN = "does not go with a run, whose hybrids are built already"
RATED = f"plan {POPULATION}"
WITHOUT_EFFECT = [  # the last option has no effect, and what it goes with
    ("compare t.csv --resamples 9", "does not go with r over systems alone"),
    ("compare t.csv --design mix", "does not go with r over systems alone"),
    ("compare t.csv --stream", "does not go with r over systems alone"),
    ("compare t.csv --overwrite", "goes with --out"),
    ("rank t.csv --resamples 9", "does not go with r over hybrids"),
    ("rank t.csv --random systems --alternative less", "is for tests"),
    ("rank t.csv --random systems --hybrids 9", P_VALUES),
    ("rank t.csv --random systems --design mix", P_VALUES),
    ("rank t.csv --random systems --stream", P_VALUES),
    ("rank t.csv --alternative less", "does not go with r over hybrids"),
    ("rank t.csv --by domain --method dunn1969", "does not go with r over several sets"),
    ("rank t.csv --by domain --stream", "does not go with r over several sets"),
    ("rank t.csv --in-at-least 2", "does not go with r over hybrids of one set"),
    ("rank t.csv --figures main", "goes with --out"),
    ("inspect t.csv --hypotheses a=b", "goes with --corpus-metric"),
    ("rank run.zarr --human-mean segments", OF_RUN),
    ("rank run.zarr --exclude system-1", OF_RUN),
    ("rank run.zarr --only system-1", OF_RUN),
    ("rank run.zarr --ratings r.csv", OF_RUN),
    ("rank run.zarr --measure SPA", OF_RUN),
    ("rank run.zarr --stream", OF_RUN),
    ("rank run.zarr --by document", OF_RUN),
    ("spa t.csv --hybrids 9", "does not go with --measure"),
    ("systems t.csv --team A=system-1", "is for conclusions on new systems"),
    ("systems t.csv --metrics m", "has no effect on a ranking of systems"),
    ("systems t.csv --allow-part m", "has no effect on a ranking of systems"),
    ("segments t.csv --human-mean segments", "is an option of a measure"),
    ("segments t.csv --random segments --alternative less", "is for tests"),
    (f"{RATED} --human mqm", "does not go with --r: it says how to read a source"),
    ("run --resume r.zarr --seed 1", "does not go with --resume or --status"),
    ("run --status r.zarr --only a", "does not go with --resume or --status"),
    ("run --status r.zarr --hybrids 9", "does not go with --status"),
    ("run --status r.zarr --workers 2", "goes with --out or --resume"),
    ("run --resume r.zarr --chunk 9", "goes with --out"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the files."""
    folder = write_files(tmp_path_factory.mktemp("files"), FILES)
    write_test_set(folder / "sets", ("en-de",))
    ss.hybrids.run_hybrids(SCORES, folder / "run.zarr", n=60)
    return folder


@pytest.fixture
def refused(command, place, monkeypatch):
    """Check that a command line is refused in one line, which says so, and writes nothing."""
    monkeypatch.chdir(place)

    def refused(line, message):
        before = sorted(place.rglob("*"))
        words, _, file = line.partition(" < ")
        stdin = (place / file).read_bytes() if file else None
        check_refused(command(*shlex.split(words), stdin=stdin), message)
        assert sorted(place.rglob("*")) == before

    return refused


@pytest.mark.parametrize(("line", "message"), CASES, ids=[line[:80] for line, _ in CASES])
def test_a_mistake_is_one_line(refused, line, message):
    if "--corpus-metric" in line:
        pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    refused(line, message)


@pytest.mark.parametrize(("line", "text"), WITHOUT_EFFECT, ids=[line for line, _ in WITHOUT_EFFECT])
def test_an_option_without_effect_is_refused(refused, line, text):
    option = [word for word in line.split() if word.startswith("--")][-1]
    refused(line, f"error: {option} {text}")


def test_a_mistake_may_warn_before(command, place, monkeypatch):
    monkeypatch.chdir(place)
    result = command("rank", "example", "--out", "o", "--figures", "plan", "-n", 60)
    assert (result.status, "agrees best with people" in result.out) == (2, True)
    last = result.err.splitlines()[-1]
    assert last.startswith("error: no figure 'plan'; there are all, none, forest")
    assert not (place / "o").exists()
