"""What the methods share that leave the work to METIS or its kin: the choice of a partitioner, and of another one."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from consensa._messages import warn
from consensa._validation import check_choice
from consensa.methods.base import ConsensusClusterer
from consensa.partition.metis import require_pymetis

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["BalancedConsensus", "choose_partitioner"]


def choose_partitioner(given: Any, balanced: str, free: str, *, require: Any, method: str) -> str:
    """Return the partitioner to use: ``"auto"`` is the balanced one, or the other one where its package is missing.

    Parameters
    ----------
    given : {"auto", balanced, free}
    balanced : str
        The partitioner of the paper, which needs a package.
    free : str
        The one that needs none and does not force equal sizes.
    require : callable
        Imports the package, or raises an ImportError that names the extra.
    method : str
        For the warning.

    Returns
    -------
    str
    """
    wanted = check_choice("partitioner", given, ("auto", balanced, free))
    if wanted == free:
        return free
    try:
        require()
    except ImportError as error:
        if wanted == balanced:
            raise
        warn(f'{method} falls back on partitioner="{free}", which does not force clusters of equal size. {error}')
        return free
    return balanced


class BalancedConsensus(ConsensusClusterer, metaclass=ABCMeta):
    """Base of the methods whose published form forces clusters of nearly equal size."""

    _balanced: ClassVar[str] = "metis"
    _free: ClassVar[str] = "spectral"

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        partitioner: str = "auto",
        imbalance: float | None = None,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    @abstractmethod
    def _consensus(self, ensemble: Any) -> Any:
        """Turn an ensemble into a cut."""

    def chosen_partitioner(self) -> str:
        """Return the partitioner to use; what ``"auto"`` stands for depends on the packages that are installed."""
        name = type(self).__name__
        return choose_partitioner(self.partitioner, self._balanced, self._free, require=self._require, method=name)

    @staticmethod
    def _require() -> Any:
        return require_pymetis()
