"""Files that are cut off, changed or written by somebody else: only clear errors, in bounded memory."""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import consensa
from consensa.io import read_features, read_labels
from consensa.io.model import seal
from tools.fuzz.rules import Broken, answer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["KINDS", "MOST_MEMORY", "check_file", "file_case"]

KINDS = ("csv", "tsv", "npy", "npz", "parquet", "mat", "h5ad", "model")
_CHANCES = (0.16, 0.11, 0.16, 0.16, 0.11, 0.11, 0.03, 0.16)  # few of h5ad: libhdf5 dies so often that it costs most
MOST_MEMORY = 1 << 30  # bytes that reading a file of some kilobytes may take, far beyond what it needs
_ARCHIVES = ("npz", "model")
_BITS = (
    *(b'"', b"\n", b",", b"\0", b"\xff", b"\r", b"\t", b"'", b"\xef\xbb\xbf", b"\xc3(", b"PK\x03\x04"),
    *(
        b"nan",
        b"1e999",
        b"-1",
        b"9" * 30,
        b"1" * 5000,
        b"null",
        b"True",
        b"{}",
        b"[]",
        b"1,2\n3",
        b"=cmd",
        b"<i8",
        b"|O",
    ),
)


def file_case(seed: int) -> dict[str, Any]:
    """Draw a damaged file; half of the archives are damaged inside, so that their checksums are right."""
    rng = np.random.default_rng([4, seed])
    kind = str(rng.choice(KINDS, p=_CHANCES))
    whole = _whole(kind, int(rng.integers(4)))
    inside = kind in _ARCHIVES and rng.random() < 0.5
    content = _damaged_inside(whole, rng) if inside else _damaged(whole, rng)
    return {"content": np.frombuffer(content, np.uint8), "kind": kind, "labels": bool(rng.random() < 0.5)}


def check_file(case: dict[str, Any]) -> bool:
    """Read a file: a table, a model or one sentence, and nothing that takes more memory than it may."""
    kind, content = str(case["kind"]), np.asarray(case["content"], np.uint8).tobytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"file.{'npz' if kind == 'model' else kind}")
        path.write_bytes(content)
        before = _peak()
        found, _ = answer(lambda: _read(path, kind, as_labels=bool(case["labels"])))
        if _peak() - before > MOST_MEMORY:
            what = "memory"
            raise Broken(what, f"{(_peak() - before) >> 20} MiB for {len(content)} bytes")
    return found is not None


def _read(path: Path, kind: str, *, as_labels: bool) -> Any:
    if kind != "model":
        return (read_labels if as_labels else read_features)(path)
    model = consensa.load(path)
    with np.errstate(all="ignore"):  # the numbers of a model that was changed and sealed again are what they are
        if as_labels:
            model.predict(np.zeros((2, 4), np.int64))
            return model.confidence_
        return model.cut(2)


def _damaged(whole: bytes, rng: np.random.Generator) -> bytes:
    """Cut off, change some bytes, put something in between, repeat or leave out a piece; or leave it as it is."""
    content = bytearray(whole)
    for _ in range(int(rng.integers(0, 4))):
        place = int(rng.integers(len(content) + 1))
        length = int(rng.integers(1, 1 + max(1, len(content) // 4)))
        how = int(rng.integers(6))
        if how == 0:
            del content[place:]
        elif how == 1:
            for at in rng.integers(0, max(1, len(content)), int(rng.integers(1, 9))).tolist():
                if at < len(content):
                    content[at] = int(rng.integers(256))
        elif how == 2:
            content[place:place] = _BITS[int(rng.integers(len(_BITS)))]
        elif how == 3:
            content[place:place] = content[place : place + length]
        elif how == 4:
            del content[place : place + length]
        elif place < len(content):
            content[place] ^= 1 << int(rng.integers(8))
    return bytes(content)


def _damaged_inside(whole: bytes, rng: np.random.Generator) -> bytes:
    """Damage a member of an archive, leave it out or give it another's place, and pack all again."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    names = sorted(members)
    chosen, other = str(rng.choice(names)), str(rng.choice(names))
    how = int(rng.integers(4))
    if how == 0:
        del members[chosen]
    elif how == 1:
        members[chosen] = members[other]
    else:
        members[chosen] = _damaged(members[chosen], rng)
    if rng.random() < 0.5:
        _seal_again(members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _seal_again(members: dict[str, bytes]) -> None:
    """Give a model the seal of what it holds now, as somebody would who means harm; nothing where that is no model."""
    try:
        note = json.loads(members["model.json"])
        arrays = {name: np.load(io.BytesIO(members[f"{name}.npy"])) for name in note["dtypes"]}
        members["model.json"] = json.dumps({**note, "seal": seal(note, arrays)}).encode()
    except Exception:  # noqa: BLE001 - too much damage for a model
        return


@functools.cache
def _whole(kind: str, number: int) -> bytes:
    """A sound file of a kind."""
    rng = np.random.default_rng(number)
    values = rng.integers(0, 3, (12, 3)) if number % 2 else rng.normal(size=(12, 3))
    buffer = io.BytesIO()
    makers: dict[str, Callable[[], Any]] = {
        "csv": lambda: buffer.write(_text(values, ",", number)),
        "tsv": lambda: buffer.write(_text(values, "\t", number)),
        "npy": lambda: np.save(buffer, values.astype("U9") if number == 3 else values),
        "npz": lambda: np.savez_compressed(buffer, labels=values, ids=np.arange(12).astype(str)),
        "parquet": lambda: _parquet(values, buffer),
        "mat": lambda: _mat(values, buffer),
        "h5ad": lambda: buffer.write(_h5ad(values)),
        "model": lambda: buffer.write(_model(number)),
    }
    makers[kind]()
    return buffer.getvalue()


def _text(values: np.ndarray, delimiter: str, number: int) -> bytes:
    lines = [delimiter.join(["id", "a", "b", '"c d"' if number > 1 else "c"])]
    lines += [delimiter.join([f"r{i}", *map(str, row)]) for i, row in enumerate(values.tolist())]
    return ("\r\n" if number == 2 else "\n").join(lines).encode()


def _parquet(values: np.ndarray, buffer: io.BytesIO) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": [f"r{i}" for i in range(12)], "a": values[:, 0], "b": values[:, 1]}), buffer)


def _mat(values: np.ndarray, buffer: io.BytesIO) -> None:
    from scipy.io import savemat

    savemat(buffer, {"X": values, "note": "text"}, do_compression=bool(values.dtype.kind == "i"))


def _h5ad(values: np.ndarray) -> bytes:
    import anndata
    import pandas as pd

    obs = pd.DataFrame({"group": [f"g{i % 3}" for i in range(12)]}, index=[f"c{i}" for i in range(12)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cells.h5ad")
        anndata.AnnData(np.asarray(values, np.float32), obs=obs).write_h5ad(path)
        return path.read_bytes()


def _model(number: int) -> bytes:
    labels = np.random.default_rng(number).integers(0, 3, (20, 4))
    kinds = (consensa.LWEA, consensa.LWGP, consensa.SAL, consensa.KCC)
    parameters = {} if number in (0, 2) else {"random_state": 0}
    with tempfile.TemporaryDirectory() as folder:
        kinds[number](3, **parameters).fit(labels).save(Path(folder, "m.npz"))
        return Path(folder, "m.npz").read_bytes()


def _peak() -> int:
    """Most memory that this process has had, in bytes; 0 where that is not known."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
