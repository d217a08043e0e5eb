from .registry import ScoreReader as ScoreReader, register_reader as register_reader
from .table_files import read_score_columns as read_score_columns
