"""What run and combine have in common: check the output first, say what was read, hand over the labels."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import __version__
from consensa.cli.terminal import print_json, say
from consensa.io import check_output, write_labels
from consensa.io.model import check_model_output
from consensa.io.write import check_apart

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from consensa.evaluate import KChoice
    from consensa.io import Table

__all__ = [
    "by_name",
    "check_before",
    "check_report_before",
    "conclude",
    "deliver",
    "deliver_anndata",
    "deliver_model",
    "deliver_report",
    "describe_source",
    "evidence_of",
    "introduce",
    "labels_target",
    "named_labels",
    "tell_choice",
    "tell_test",
]

_STANDARD = "-"
_H5AD = ".h5ad"


def check_before(arguments: Namespace) -> None:
    """Refuse an output that could not be written, before anything is read or computed; settle the candidates for k."""
    if arguments.k_range is not None:
        if arguments.n_clusters != "auto":
            msg = "--k-range gives the candidates for -k auto; leave it out, or use -k auto."
            raise ValueError(msg)
        arguments.n_clusters = f"auto:{arguments.k_range}"
    if arguments.n_clusters == "tested" and arguments.command == "combine":
        msg = "-k tested needs features, and labels have none; use consensa run -k tested on these, or -k auto."
        raise ValueError(msg)
    if arguments.output is not None:
        source = None if arguments.data == _STANDARD else arguments.data
        check_output(arguments.output, force=arguments.force, source=source, annotates=_annotates(arguments))
    check_report_before(arguments, None if arguments.data == _STANDARD else arguments.data)
    if arguments.save is not None:
        check_model_output(arguments.save, force=arguments.force)
    check_apart([arguments.output, arguments.save, arguments.report], [arguments.data])


def labels_target(arguments: Namespace) -> str:
    """Return where labels go, standard output if nothing is said, after a check that they can be written there."""
    target: str = arguments.output or _STANDARD
    check_output(target, force=arguments.force, source=None if arguments.data == _STANDARD else arguments.data)
    return target


def check_report_before(arguments: Namespace, source: str | None) -> None:
    """Refuse a place for the report that could not be written."""
    if arguments.report is not None:
        from consensa.io.write import check_place
        from consensa.report.write import report_format

        report_format(arguments.report)
        check_place(arguments.report, force=arguments.force, source=source)


def deliver_report(arguments: Namespace, model: Any, **details: Any) -> None:
    """Write the report where one is wanted."""
    if arguments.report is not None:
        start = time.perf_counter()
        model.report(arguments.report, force=arguments.force, **details)
        if not arguments.quiet:
            say(f"wrote {arguments.report} ({time.perf_counter() - start:.2f} s).")


def _annotates(arguments: Namespace) -> bool:
    """Whether the result is to be written into a copy of the h5ad file that was read."""
    if not arguments.output.lower().endswith(_H5AD) or not arguments.data.lower().endswith(_H5AD):
        return False
    if isinstance(arguments.n_clusters, list) or isinstance(arguments.method, list) or arguments.memory is not None:
        msg = (
            f"{arguments.output}: an h5ad file gets one clustering, made in memory; give one number of clusters and "
            "one method without --memory, or choose CSV, TSV, NPY, NPZ or Parquet."
        )
        raise ValueError(msg)
    return True


def deliver_anndata(arguments: Namespace, model: Any) -> None:
    """Write the h5ad file that was read with the result in it, where that is wanted."""
    if arguments.output is None or not _annotates(arguments):
        return
    from consensa.io.h5ad import read_anndata, write_anndata
    from consensa.tl.annotate import annotate
    from consensa.tl.inputs import the_one_source

    adata = read_anndata(arguments.data)
    use_rep = the_one_source(adata, None, arguments.array)[1] if arguments.command == "run" else None
    annotate(adata, model, "consensus", method=arguments.method, random_state=arguments.seed, use_rep=use_rep)
    write_anndata(arguments.output, adata)


def deliver_model(arguments: Namespace, model: Any, ids: Any, id_name: str) -> None:
    """Save the model where it is wanted."""
    if arguments.save is not None:
        model.save(arguments.save, ids=ids, id_name=id_name, force=arguments.force)
        if not arguments.quiet:
            say(f"wrote {arguments.save}.")


def introduce(arguments: Namespace, source: str, table: Table, what: str) -> None:
    """Say what was read and what was decided about it."""
    if not arguments.quiet:
        say(describe_source(source, table.n_rows, table.n_columns, what, table.notes))


def describe_source(source: str, n_rows: int, n_columns: int, what: str, notes: Iterable[str]) -> str:
    """Return one line about an input and its layout."""
    name = "standard input" if source == _STANDARD else source
    return "; ".join([f"{name}: {_count(n_rows, 'row')} x {_count(n_columns, what)}", *notes]) + "."


def evidence_of(arguments: Namespace, model: Any) -> dict[str, np.ndarray]:
    """Return what stands beside the labels of a model: the confidence, and memberships where they are wanted."""
    several = isinstance(model.labels_, dict)
    confidence = model.confidence_ if several else {None: model.confidence_}
    found = {"confidence" if k is None else f"confidence_k{k}": values for k, values in confidence.items()}
    if getattr(arguments, "memberships", False):
        from consensa.evaluate import soft_membership

        for k, labels in (model.labels_ if several else {None: model.labels_}).items():
            shares = soft_membership(labels, model.ensemble_)
            found |= {
                f"membership_{c}" if k is None else f"membership_k{k}_{c}": share for c, share in enumerate(shares.T)
            }
    return found


def deliver(
    arguments: Namespace,
    labels: Any,
    table: Table,
    seconds: float,
    parameters: dict[str, Any],
    *,
    choice: KChoice | None = None,
    evidence: dict[str, np.ndarray] | None = None,
    **details: Any,
) -> None:
    """Write the labels where they are wanted (a column per k or per method), and the summary with the details.

    Say how k was chosen, if it was.
    """
    details |= tell_choice(arguments, choice)
    output = None if arguments.output == _STANDARD else arguments.output
    if (output is None and not arguments.json) or (output is not None and not _annotates(arguments)):
        found = {"id_name": table.id_name, "evidence": evidence, "force": arguments.force}
        write_labels(output or _STANDARD, by_name(labels), table.ids, **found)
    shape = (table.n_rows, table.n_columns)
    conclude(arguments, labels, shape, seconds, parameters, table.ids, has_ids=table.ids is not None, **details)


def named_labels(model: Any, labels: np.ndarray) -> dict[str, np.ndarray]:
    """Return the name of the cluster of every object, where clusters have names; nothing where they have none."""
    if isinstance(labels, dict) or model.cluster_names_ is None:
        return {}
    names = [model.cluster_name(label) for label in range(int(labels.max(initial=-1)) + 1)]
    return {"name": np.array([*names, ""], dtype=object)[labels]}  # -1 takes the last


def tell_test(arguments: Namespace, found: Any) -> dict[str, Any]:
    """Say how the number of clusters was tested, if it was, and return what the summary says of it."""
    if found is None:
        return {}
    if not arguments.quiet:
        for line in str(found).splitlines():
            say(line)
    return {"k": found.n_clusters, "significance": found.to_dict()}


def tell_choice(arguments: Namespace, choice: KChoice | None) -> dict[str, Any]:
    """Say how the number of clusters was chosen, if it was, and return what the summary says of it."""
    if choice is None:
        return {}
    if not arguments.quiet:
        say(f"chose {choice.summary()}.")
    return {"k": choice.n_clusters, "choice": choice.to_dict()}


def conclude(
    arguments: Namespace,
    labels: Any,
    shape: tuple[int, int],
    seconds: float,
    parameters: dict[str, Any],
    ids: np.ndarray | None = None,
    *,
    has_ids: bool,
    **details: Any,
) -> None:
    """Say what was written, and print the summary if it is wanted."""
    found = by_name(labels)
    output = None if arguments.output == _STANDARD else arguments.output
    if output is not None and not arguments.quiet:
        lost = " without the ids, which NPY has no place for" if output.endswith(".npy") and has_ids else ""
        say(f"wrote {output}{lost} ({_describe(found)}; {seconds:.2f} s).")
    if arguments.json:
        print_json({**_summary(arguments, found, shape, ids, seconds, parameters), **details})


def by_name(labels: Any) -> dict[str, np.ndarray]:
    """Return label vectors by the names of their columns: one is called label, several by their k or method."""
    if not isinstance(labels, dict):
        return {"label": labels}
    return {key if isinstance(key, str) else f"k{key}": vector for key, vector in labels.items()}


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _describe(found: dict[str, np.ndarray]) -> str:
    if len(found) > 1:
        return f"{len(found)} clusterings of {_count(next(iter(found.values())).size, 'object')}"
    sizes = _sizes(next(iter(found.values())))
    if len(sizes) == 1:
        return f"1 cluster of {_count(sizes[0], 'object')}"
    return f"{_count(len(sizes), 'cluster')} of {min(sizes)} to {max(sizes)} objects"


def _summary(
    arguments: Namespace,
    found: dict[str, np.ndarray],
    shape: tuple[int, int],
    ids: np.ndarray | None,
    seconds: float,
    parameters: dict[str, Any],
) -> dict[str, Any]:
    summary = {
        "version": __version__,
        "command": arguments.command,
        "input": arguments.data,
        "output": arguments.output,
        "method": arguments.method,
        "parameters": {**parameters, **dict(arguments.param)},
        "seed": arguments.seed,
        "k": arguments.n_clusters,
        "n_objects": shape[0],
        "n_columns": shape[1],
        "seconds": round(seconds, 4),
        "clusterings": [_describe_one(name, labels) for name, labels in found.items()],
    }
    if arguments.output in (None, _STANDARD):
        summary["ids"] = None if ids is None else ids.tolist()
        summary["labels"] = {name: labels.tolist() for name, labels in found.items()}
    return summary


def _describe_one(name: str, labels: np.ndarray) -> dict[str, Any]:
    return {"name": name, "cluster_sizes": _sizes(labels), "n_unlabelled": int(np.count_nonzero(labels < 0))}


def _sizes(labels: np.ndarray) -> list[int]:
    return np.bincount(labels[labels >= 0]).tolist()
