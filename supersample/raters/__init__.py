"""People among the metrics: how well people agree, and which metrics agree as people do.

A human scorer and a metric are the same kind of thing here: a label along ``metric``. Users name
the people among them. `take_as_gold` makes scorers, or their mean, the human scores;
`rank_raters` ranks people among the metrics by a gold standard that does not contain them;
`reliability` measures how well people agree, and which r no metric can exceed.

`judge_agreement` says how well a judge of single items, such as an LLM, agrees with people, whether
it may replace one, and where it is biased.
"""

from lazy_loader import attach_stub

from supersample.errors import checked_names

__getattr__, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))
