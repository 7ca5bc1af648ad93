"""The table of ``edgemem models list``."""

from __future__ import annotations

from typing import Final

from edgemem_models.space import human
from edgemem_models.survey import Row

_HEADINGS: Final = ("", "NAME", "ROLE", "QUANT", "SIZE", "CONTEXT", "RAM 4k", "WHERE")


def table(rows: tuple[Row, ...]) -> str:
    """Aligned columns, never cut, whatever the width of the terminal."""
    from rich.cells import cell_len

    cells = [_HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(cell_len(line[i]) for line in cells) for i in range(len(_HEADINGS))]

    def aligned(line: tuple[str, ...]) -> str:
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True))
        return "  ".join(padded).rstrip()

    return "\n".join(map(aligned, cells))


def _cells(row: Row) -> tuple[str, ...]:
    ram = human(row.ram_4k) if row.ram_4k else "-"
    mark = "*" if row.in_use else ""
    return (mark, row.name, row.role, row.quant, human(row.size), f"{row.context:,}", ram, row.where)
