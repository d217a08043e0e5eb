"""Spreadsheets: Excel's and LibreOffice's."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supersample.errors import InputError, check_names, listed
from supersample.readers.text import check_unpacked, checked_file

SPREADSHEETS = (".xlsx", ".xls", ".ods")
INSTALL = "spreadsheets need python-calamine: pip install 'supersample[excel]', or save it as CSV"


def sheet_rows(path: Path, sheet: str | None) -> tuple[list[str], list[tuple[str, Sequence[str]]]]:
    """Header and rows of a sheet, cells as texts; of the only sheet with cells if none is named."""
    try:
        from python_calamine import CalamineError, load_workbook
    except ModuleNotFoundError as error:
        raise InputError(INSTALL) from error
    try:
        _check_size(checked_file(path))
        with load_workbook(str(path)) as book:
            names = book.sheet_names
            sheets = {name: book.get_sheet_by_name(name).to_python() for name in names}
    except InputError:
        raise
    except (CalamineError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} cannot be read as a spreadsheet: {error}") from error
    filled = [name for name, cells in sheets.items() if cells]
    if sheet is None and len(filled) != 1:
        raise InputError(f"{path} has the sheets {listed(filled) or 'none'}; name one by --sheet")
    check_names("sheet", [] if sheet is None else [sheet], names, str(path))
    chosen = sheet or filled[0]
    rows = [[_text(cell) for cell in row] for row in sheets[chosen]]
    if not rows:
        raise InputError(f"{path}: the sheet {chosen} is empty")
    places = (f"{path}, sheet {chosen}, row {i}" for i in range(2, len(rows) + 1))
    filled_rows = zip(places, rows[1:], strict=True)
    rest: list[tuple[str, Sequence[str]]] = [(where, row) for where, row in filled_rows if any(row)]
    return rows[0], rest


def _check_size(path: Path) -> None:
    """Refuse a workbook whose sheets, packed in it, unpack to far more than tables do."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            size = sum(part.file_size for part in packed.infolist())
        check_unpacked(path, size, path.stat().st_size)


def _text(cell: Any) -> str:
    """Text of a cell; numbers without a fraction as integers, as labels are numbered."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
