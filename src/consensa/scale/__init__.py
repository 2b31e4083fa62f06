"""Label matrices beyond memory: chunks from disk or dask in, the same answers out.

``LWGP(10).fit(as_chunks("labels.npy"))`` works like ``LWGP(10).fit(labels)``; see docs/scale.md.
"""

from consensa.scale.chunks import Chunks, as_chunks
from consensa.scale.ensemble import ChunkedEnsemble
from consensa.scale.generate import generate_labels
from consensa.scale.labels import chunked_confidence, label_chunks
from consensa.scale.on_dask import DaskChunks
from consensa.scale.scores import chunked_anmi, chunked_contingency

__all__ = [
    "ChunkedEnsemble",
    "Chunks",
    "DaskChunks",
    "as_chunks",
    "chunked_anmi",
    "chunked_confidence",
    "chunked_contingency",
    "generate_labels",
    "label_chunks",
]
