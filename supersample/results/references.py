"""Bibliography entries of the methods that a result used."""

import re
from importlib.resources import files

import xarray as xr

_ENTRY = re.compile(r"^@\w+\{(\w+),\n(?:  .+\n)+\}$", re.MULTILINE)
_OF_VARIABLES = {
    "p_holm": ("holm1979",),
    "p_bh": ("benjamini1995",),
}
_OF_SIGN_FLIPS = ("tukey1958", "williams1959", "holm1979", "hansen2011")
_OF_JOINT_REPLICATES = ("westfall1993", "romano2005")
_BY_SIGN_FLIPS = re.compile("williams-jackknife|:systems:observed")
_OF_WORDS = {
    "Fisher": ("fisher1921",),
    "bca": ("efron1987",),
    "perm-": ("deutsch2021", "phipson2010"),
    "SPA": ("thompson2024",),
    "PA": ("kocmi2021",),
    "outliers": ("mathur2020",),
    "hybrids": ("graham2016",),
}


def references_of(result: xr.Dataset, shown: str = "") -> str:
    """BibTeX of the methods that a result's signature and variables, or words shown, name."""
    text = (files("supersample.results") / "references.bib").read_text("utf-8")
    told = f"{result.attrs['signature']} {result.attrs.get('interval', '')} {shown}"
    keys = {key for word, found in _OF_WORDS.items() if _says(told, word) for key in found}
    keys |= {key for name, found in _OF_VARIABLES.items() if name in result for key in found}
    if "p_simultaneous" in result:
        keys |= set(_OF_SIGN_FLIPS if _BY_SIGN_FLIPS.search(told) else _OF_JOINT_REPLICATES)
    entries = [match[0] for match in _ENTRY.finditer(text) if match[1] in keys or match[1] in told]
    return "\n\n".join(entries)


def _says(text: str, word: str) -> bool:
    """Whether a text has a word by itself: no "PA" in "SPA"."""
    return re.search(rf"\b{word}\b", text) is not None
