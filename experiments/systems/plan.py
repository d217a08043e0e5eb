"""What the study measures; fixed before its results.

Populations are fitted to WMT23 (en-de, zh-en: MQM, one score of each translation) and WMT24 (en-cs,
en-zh: ESA, each document of a system rated by one assessor). The scores of a set are taken apart
into effects of documents, of assessors, of each system's documents, and residuals, one after the
other, as means; each kind of effect is centred. A sample draws a share of the set's documents with
replacement, and gives each an effect, each assessor an effect, each document of a system an effect
and an assessor, and each translation a residual, all drawn from the set's own. Five populations of
each set have other shares of documents (.3 to 1) and of assessors (.3 to 1), drawn by the seed.

In even populations all systems are equal; in odd ones the second half of them is worse, by steps
of .1 standard deviations of a system's score, so that some pairs are equal and others not.

Measured: samples in which some equal pair is called different, or some pair in the wrong order
(aims: at most 5 % on average, 7 % in 95 % of the populations); samples in which all rank intervals
hold the true ranks (at least 95 %); and the share of unequal pairs that is found. With documents as
units, with documents and assessors, with segments, and by WMT24's rule. A system with equal ones
has as true ranks all that they share.

Copies: the documents of two real systems are swapped at random, so both are the same system; how
often do segments, documents and the rule call the pair different at 5 %, uncorrected?
"""

from dataclasses import dataclass

SETS = (("wmt23", "en-de"), ("wmt23", "zh-en"), ("wmt24", "en-cs"), ("wmt24", "en-zh"))
SHARES = (0.3, 1.0)
STEP = 0.1
"""Steps between unequal systems, in standard deviations of a score."""


@dataclass(frozen=True)
class Plan:
    """Seed and sizes."""

    seed: int = 20261124
    populations: int = 5
    samples: int = 200
    of_the_rule: int = 30
    """Samples to which the rule is applied, which takes ten times as long."""
    copies: int = 200


FULL = Plan()
SMOKE = Plan(populations=1, samples=3, of_the_rule=2, copies=3)
