"""Tables in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["format_table", "latex_table", "markdown_table"]


def format_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Line up cells in columns, two blanks apart, those in ``right`` flush right; the first row is the header.

    Examples
    --------
    >>> print(format_table([["name", "k"], ["base", "12"], ["consensus", "3"]], right=[1]))
    name        k
    base       12
    consensus   3
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if j in right else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    r"""Write cells as a table in Markdown, all columns but the first flush right; the first row is the header.

    Examples
    --------
    >>> print(markdown_table([["name", "k"], ["a|b", "3"]]))
    | name | k |
    |---|---:|
    | a\|b | 3 |
    """
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---|" + "---:|" * (len(rows[0]) - 1), *lines[1:]])


def latex_table(rows: Sequence[Sequence[str]], *, rules: int = 0) -> str:
    r"""Write cells as a table for LaTeX with booktabs; ``rules`` rows at the end stand below a rule.

    Examples
    --------
    >>> print(latex_table([["name", "k"], ["a_b", "3"]]))
    \begin{tabular}{lr}
    \toprule
    name & k \\
    \midrule
    a\_b & 3 \\
    \bottomrule
    \end{tabular}
    """
    lines = [" & ".join(_latex(cell) for cell in row) + r" \\" for row in rows]
    body = lines[1 : len(lines) - rules]
    end = ["\\midrule", *lines[len(lines) - rules :]] if rules else []
    head = f"\\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    return "\n".join([head, "\\toprule", lines[0], "\\midrule", *body, *end, "\\bottomrule", "\\end{tabular}"])


def _latex(cell: str) -> str:
    for character in "&%$#_{}":
        cell = cell.replace(character, "\\" + character)
    return cell.replace("±", r"$\pm$")
