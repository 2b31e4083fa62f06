"""How microclusters are related: an Ensemble and cluster weights in, a Relation out."""

from consensa.relate.bipartite import cluster_graph
from consensa.relate.coassociation import co_association
from consensa.relate.relation import Bipartite, Dense, Factored, Relation
from consensa.relate.trajectory import Trajectories, elite_neighbors, trajectories, transition_matrix

__all__ = [
    "Bipartite",
    "Dense",
    "Factored",
    "Relation",
    "Trajectories",
    "cluster_graph",
    "co_association",
    "elite_neighbors",
    "trajectories",
    "transition_matrix",
]
