"""How microclusters are related: an Ensemble and cluster weights in, a Relation out."""

from consensa.relate.bipartite import cluster_graph
from consensa.relate.coassociation import co_association
from consensa.relate.dense_representation import dense_representation
from consensa.relate.low_rank import LowRank, low_rank_representation
from consensa.relate.posteriors import SoftEnsemble, posterior_graph, posterior_similarity, soft_ensemble
from consensa.relate.relation import Bipartite, Dense, Factored, Relation
from consensa.relate.trajectory import Trajectories, elite_neighbors, trajectories, transition_matrix

__all__ = [
    "Bipartite",
    "Dense",
    "Factored",
    "LowRank",
    "Relation",
    "SoftEnsemble",
    "Trajectories",
    "cluster_graph",
    "co_association",
    "dense_representation",
    "elite_neighbors",
    "low_rank_representation",
    "posterior_graph",
    "posterior_similarity",
    "soft_ensemble",
    "trajectories",
    "transition_matrix",
]
