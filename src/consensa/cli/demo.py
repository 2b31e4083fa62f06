"""``consensa demo``: the main job on the digits that ship with scikit-learn, measured against their classes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import KMeans

from consensa import __version__
from consensa._text import format_table
from consensa.cli.deliver import check_report_before, deliver_report
from consensa.cli.run import make_model
from consensa.cli.terminal import print_text
from consensa.evaluate import ari, nmi
from consensa.io import check_output, write_labels
from consensa.io.source import kind_of
from consensa.io.write import check_apart

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Cluster the digits, print base clusterings against the consensus, write the labels."""
    from sklearn.datasets import load_digits

    kind_of(arguments.output)
    Path(arguments.output).parent.mkdir(parents=True, exist_ok=True)
    check_output(arguments.output, force=arguments.force)
    check_report_before(arguments, None)
    check_apart([arguments.output, arguments.report])
    digits = load_digits()
    truth = digits.target
    n_classes = np.unique(truth).size
    start = time.perf_counter()
    model = make_model(arguments, int(n_classes)).fit(digits.data)
    seconds = time.perf_counter() - start
    write_labels(arguments.output, {"label": model.labels_}, force=arguments.force)
    print_text(f"consensa {__version__}: digits, {digits.data.shape[0]} images of 8 x 8 pixels, {n_classes} classes\n")
    print_text(_table(model.partitions_, model.labels_, digits.data, truth, arguments.method))
    print_text(f"\n{arguments.n_partitions} base clusterings and their consensus: {seconds:.1f} s")
    print_text(f"labels: {arguments.output}")
    names = [f"pixel {j // 8}, {j % 8}" for j in range(digits.data.shape[1])]
    deliver_report(arguments, model, feature_names=names, truth=truth, title="Handwritten digits")


def _table(partitions: np.ndarray, labels: np.ndarray, X: np.ndarray, truth: np.ndarray, method: str) -> str:
    n_classes = int(np.unique(truth).size)
    plain = KMeans(n_classes, n_init=10, random_state=0).fit(X).labels_
    ks = [np.unique(column).size for column in partitions.T]
    found = np.array([(nmi(column, truth), ari(column, truth)) for column in partitions.T])
    best = found.argmax(axis=0)
    rows = [
        ["", "k", "NMI", "ARI"],
        [f"base clusterings, mean of {len(ks)}", f"{min(ks)}-{max(ks)}", *_scores(found.mean(axis=0))],
        ["base clustering with the best NMI", str(ks[best[0]]), *_scores(found[best[0]])],
        ["base clustering with the best ARI", str(ks[best[1]]), *_scores(found[best[1]])],
        ["plain KMeans, best of 10 starts", str(n_classes), *_scores((nmi(plain, truth), ari(plain, truth)))],
        [f"consensus ({method.upper()})", str(labels.max() + 1), *_scores((nmi(labels, truth), ari(labels, truth)))],
    ]
    return format_table(rows, right=(1, 2, 3))


def _scores(pair: Iterable[float]) -> list[str]:
    return [f"{score:.3f}" for score in pair]
