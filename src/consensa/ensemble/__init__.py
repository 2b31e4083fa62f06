"""The ensemble: labels in any form, in memory or in chunks, as distinct rows with exact counts."""

from consensa.ensemble.chunks import Chunks, as_chunks
from consensa.ensemble.ensemble import Ensemble, as_ensemble
from consensa.ensemble.labels import Vocabulary
from consensa.ensemble.microclusters import MicroclusterTable

__all__ = ["Chunks", "Ensemble", "MicroclusterTable", "Vocabulary", "as_chunks", "as_ensemble"]
