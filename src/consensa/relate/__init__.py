"""How microclusters are related: an Ensemble and cluster weights in, a Relation out."""

from consensa.relate.bipartite import cluster_graph
from consensa.relate.coassociation import co_association
from consensa.relate.dense_representation import dense_representation
from consensa.relate.low_rank import LowRank, low_rank_representation
from consensa.relate.posteriors import SoftEnsemble, posterior_graph, posterior_similarity, soft_ensemble
from consensa.relate.relation import Bipartite, Dense, Factored, Relation

__all__ = [
    "Bipartite",
    "Dense",
    "Factored",
    "LowRank",
    "Relation",
    "SoftEnsemble",
    "cluster_graph",
    "co_association",
    "dense_representation",
    "low_rank_representation",
    "posterior_graph",
    "posterior_similarity",
    "soft_ensemble",
]
