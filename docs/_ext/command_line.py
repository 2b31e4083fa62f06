"""The directive ``command-line``: every command with its options, from the parsers themselves."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from consensa.cli.parser import build_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx


class CommandLine(SphinxDirective):
    """Sections of all commands, in the order of ``consensa --help``."""

    def run(self) -> list[nodes.Node]:
        """Return one section for every command."""
        return [self._section(name, parser, summary) for name, parser, summary in _commands()]

    def _section(self, name: str, parser: argparse.ArgumentParser, summary: str) -> nodes.section:
        section = nodes.section(ids=[f"consensa-{name}"], names=[f"consensa {name}"])
        self.state.document.note_explicit_target(section, section)
        section += nodes.title("", "", nodes.literal("", f"consensa {name}"))
        section += nodes.paragraph("", summary[0].upper() + summary[1:] + ".")
        section += _code(_usage(parser))
        for group in parser._action_groups:  # noqa: SLF001 - argparse has no other way to list them
            section += _group(parser, group)
        if parser.epilog:
            section += _code(parser.epilog.strip().removeprefix("examples:\n"))
        return section


def _commands() -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    commands = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))  # noqa: SLF001
    summaries = {choice.dest: choice.help or "" for choice in commands._choices_actions}  # noqa: SLF001
    return ((name, parser, summaries[name]) for name, parser in commands.choices.items())


def _usage(parser: argparse.ArgumentParser) -> str:
    parser.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=88)
    return parser.format_usage().removeprefix("usage: ").strip()


def _group(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> list[nodes.Node]:
    actions = [a for a in group._group_actions if not isinstance(a, argparse._HelpAction)]  # noqa: SLF001
    if not actions:
        return []
    title = {"positional arguments": "Arguments", "options": "Options"}.get(group.title, group.title)
    made: list[nodes.Node] = [nodes.rubric("", title[0].upper() + title[1:])]
    if group.description:
        made.append(nodes.paragraph("", group.description))
    return [*made, nodes.definition_list("", *(_item(parser, action) for action in actions), classes=["options"])]


def _item(parser: argparse.ArgumentParser, action: argparse.Action) -> nodes.definition_list_item:
    formatter = argparse.HelpFormatter(parser.prog)
    invocation = formatter._format_action_invocation(action)  # noqa: SLF001 - as --help writes it
    help_text = formatter._expand_help(action)  # noqa: SLF001
    term = nodes.term("", "", nodes.literal("", invocation))
    return nodes.definition_list_item("", term, nodes.definition("", nodes.paragraph("", help_text)))


def _code(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="text")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
