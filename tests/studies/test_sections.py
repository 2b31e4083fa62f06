"""Parts of pages that commands write."""

from __future__ import annotations

import pytest

from studies import significance
from studies.choose_k import judge
from studies.sections import END, begin, write_section


def test_a_section_is_replaced_and_the_rest_kept(tmp_path):
    page = tmp_path / "page.md"
    other = f"{begin('other')}kept\n{END}"
    page.write_text(f"above\n{begin('one')}old\n{END}between\n{other}below\n")
    write_section(page, "one", "| new |")
    write_section(page, "one", "| newer |")
    assert page.read_text() == f"above\n{begin('one')}\n| newer |\n\n{END}between\n{other}below\n"


@pytest.mark.parametrize(("study", "command"), [(significance, "significance"), (judge, "judge-k")])
def test_pages_have_the_marks_of_their_commands(study, command):
    _, after = study._PAGE.read_text().split(begin(command))  # one such mark
    assert END in after.split("<!-- python")[0]
