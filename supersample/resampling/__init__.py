"""What is random: systems, segments, documents or both are drawn.

A resample is weights on units. `draws.py` says how often each system and each unit of text is
drawn, by the bootstrap or with each left out in turn; `replicates.py` makes intervals and p-values
of the values that a measure has on them, whichever measure it is.

Replicate i is a function of the seed, the kind of unit and i alone. Groups of one set of Scores
(domains, documents) that share systems or documents have these drawn once for all of them.
"""
