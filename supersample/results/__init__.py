"""What results share: variables, signature, ranking, and the folder they are written to.

Every variable of a result is declared once, in `variables.py`; `result_variables` gives it its
dimensions, units and long name, and refuses what is not declared. Every result carries a
``signature`` attribute: statistic, method, n and what it counts, design, seed, mask, human score,
reference, source, version. A difference is significant by one rule (`comparisons.py`): its p-value
is at most the level, or, without a p-value, its interval excludes zero. Numbers are numbers in
Datasets, CSV and JSON; text such as "0.943 [0.941, 0.945]" is made only when a table is printed.
"""
