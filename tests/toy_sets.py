"""Small test sets in the layout of mt-metrics-eval, under the names of known ones."""

import numpy as np

METRICS = ("BLEU-refA", "COMET-refA", "chrF-refA", "GEMBA-MQM-src", "CometKiwi-XL-src")
"""Two baselines and a submission that compare, a submission and a contrastive metric that do not"""
SYSTEMS = ("A", "B", "C", "D", "E", "F")


def segment_lines(scores):
    rows = zip(SYSTEMS, scores, strict=True)
    return "".join(
        f"{name}\t{'None' if np.isnan(x) else repr(float(x))}\n" for name, row in rows for x in row
    )


def system_lines(scores):
    return "".join(f"{n}\t{float(x)!r}\n" for n, x in zip(SYSTEMS, scores, strict=True))


def write_test_set(folder, pairs=("en-de", "zh-en"), *, test_set="wmt23", segments=30, seed=0):
    """Write a set with unrated translations and ties; system scores are no means of segments'."""
    root = folder / test_set
    for k, pair in enumerate(pairs):
        rng = np.random.default_rng([seed, k])
        quality = rng.normal(size=(6, 1))
        noise = rng.normal(size=(6, segments))
        human = np.round(-np.abs(2 * quality + 2 * noise))
        rated = np.where(rng.random((6, segments)) < 0.1, np.nan, human)
        rated[:, :3] = human[:, :3]
        files = {
            f"documents/{pair}.docs": "news\td1\nspeech\td2\n" * (segments // 2),
            f"human-scores/{pair}.mqm.seg.score": segment_lines(rated),
            f"human-scores/{pair}.mqm.sys.score": system_lines(np.nanmean(rated, axis=1)),
            f"references/{pair}.refA.txt": "x\n" * segments,
        }
        for m, name in enumerate(METRICS):
            scores = human + (1 + m) * rng.normal(size=human.shape)
            scores = np.round(scores) if name.startswith("GEMBA") else scores
            base = f"metric-scores/{pair}/{name}"
            files[f"{base}.seg.score"] = segment_lines(scores)
            shifted = scores.mean(axis=1) + 0.1 * rng.normal(size=6)
            files[f"{base}.sys.score"] = system_lines(shifted)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return folder
