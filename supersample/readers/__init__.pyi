from .tables import read_answers as read_answers
from .registry import ScoreReader as ScoreReader, register_reader as register_reader
