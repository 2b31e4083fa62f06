"""``consensa show``: what a saved model holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._text import format_table
from consensa.cli.deliver import by_name, named_labels
from consensa.cli.terminal import print_json, print_text, say

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Load a model, cut it again if that is wanted, write its labels or say what it is."""
    from consensa.io import check_output, write_labels
    from consensa.methods.saving import load as load_model

    if arguments.output is not None:
        check_output(arguments.output, force=arguments.force, source=arguments.model)
    model = load_model(arguments.model)
    if arguments.names is not None:
        model.name_clusters(arguments.names)
    if arguments.save is not None:
        model.save(arguments.save, force=arguments.force)
        if not arguments.quiet:
            say(f"wrote {arguments.save}.")
    labels = model.labels_ if arguments.n_clusters is None else model.cut(arguments.n_clusters)
    found = by_name(labels)
    if arguments.output is not None:
        beside = _evidence(model, found) | named_labels(model, labels)
        options = {"id_name": model.saved_.id_name, "force": arguments.force, "evidence": beside}
        write_labels(arguments.output, found, model.saved_.ids, **options)
        if not arguments.quiet:
            say(f"wrote {arguments.output}.")
    summary = _summary(model, found)
    if arguments.n_clusters is None:
        summary["clusters"] = _clusters(model)
    if arguments.json:
        print_json(summary)
    elif arguments.output is None:
        print_text(_text(summary))


def _evidence(model: Any, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    from consensa.evaluate import confidence

    names = {name: "confidence" if name == "label" else f"confidence_{name}" for name in found}
    return {names[name]: confidence(labels, model.ensemble_) for name, labels in found.items()}


def _summary(model: Any, found: dict[str, np.ndarray]) -> dict[str, Any]:
    from consensa.evaluate import cluster_consensus, confidence

    ensemble = model.ensemble_
    given = {name: value for name, value in model.get_params(deep=False).items() if name not in model.how_it_runs}
    return {
        "model": type(model).__name__,
        "parameters": {name: _plain(value) for name, value in given.items()},
        "created": model.saved_.created,
        "versions": model.saved_.versions,
        "seconds": model.fit_seconds_,
        "n_objects": ensemble.n_objects,
        "n_partitions": ensemble.n_partitions,
        "clusterings": [
            {
                "name": name,
                "cluster_sizes": np.bincount(labels[labels >= 0]).tolist(),
                "cluster_consensus": cluster_consensus(labels, ensemble).round(6).tolist(),
                "mean_confidence": float(confidence(labels, ensemble).mean().round(6)),
                "n_unlabelled": int(np.count_nonzero(labels < 0)),
            }
            for name, labels in found.items()
        ],
    }


def _text(summary: dict[str, Any]) -> str:
    parameters = ", ".join(f"{name}={value!r}" for name, value in summary["parameters"].items())
    contents = f"{summary['n_objects']} objects, {summary['n_partitions']} base clusterings"
    origin = f"saved {summary['created']} by consensa {summary['versions']['consensa']}"
    lines = [f"{summary['model']}({parameters})", f"{contents}; {origin}"]
    for each in summary["clusterings"]:
        lines.append(f"\n{each['name']}: mean confidence {each['mean_confidence']:.3f}")
        rows = zip(each["cluster_sizes"], each["cluster_consensus"], strict=True)
        cells = [[str(number), str(size), f"{value:.3f}"] for number, (size, value) in enumerate(rows)]
        lines.append(format_table([["cluster", "size", "consensus"], *cells], right=[0, 1, 2]))
    for cluster in summary.get("clusters", []):
        typical = f" (typical: {', '.join(cluster['typical'])})" if cluster["typical"] else ""
        about = cluster["text"] or "no feature sets it clearly apart"
        lines.append(f"\n{cluster['name']}, {cluster['size']} objects{typical}: {about}.")
    return "\n".join(lines)


def _clusters(model: Any) -> list[dict[str, Any]]:
    """What makes the clusters what they are, where the model knows their features or has names for them."""
    found = model.portraits()["clusters"]
    if not any(each["traits"] for each in found) and model.cluster_names_ is None:
        return []
    return [{"cluster": label, "name": model.cluster_name(label), **each} for label, each in enumerate(found)]


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
