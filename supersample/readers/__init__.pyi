from .ratings import read_answers as read_answers
from .registry import ScoreReader as ScoreReader, register_reader as register_reader
from .tables import read_score_columns as read_score_columns
