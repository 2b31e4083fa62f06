"""How microclusters are related: an Ensemble and cluster weights in, a Relation out."""

from consensa.relate.bipartite import cluster_graph
from consensa.relate.cluster_walks import enhanced_co_association, propagated_similarity
from consensa.relate.coassociation import co_association
from consensa.relate.completion import completed_co_association
from consensa.relate.connected_triple import connected_triples, triple_similarity
from consensa.relate.dense_representation import dense_representation
from consensa.relate.granularity import common_triples, granularity_graph
from consensa.relate.guided import guided_co_association
from consensa.relate.jaccard import cluster_jaccard
from consensa.relate.low_rank import LowRank, low_rank_representation
from consensa.relate.nearness import Angles, SharedClusters
from consensa.relate.neighbors import nearest_objects
from consensa.relate.posteriors import SoftEnsemble, posterior_graph, posterior_similarity, soft_ensemble
from consensa.relate.relation import Bipartite, Dense, Factored, Relation
from consensa.relate.self_paced import SelfPaced, self_paced_similarity
from consensa.relate.simrank import approximate_simrank, simrank
from consensa.relate.smoothing import smoothed_similarity
from consensa.relate.trajectory import Trajectories, elite_neighbors, trajectories, transition_matrix
from consensa.relate.tri_level import TriLevel, tri_level_similarity
from consensa.relate.two_level import refined_co_association

__all__ = [
    "Angles",
    "Bipartite",
    "Dense",
    "Factored",
    "LowRank",
    "Relation",
    "SelfPaced",
    "SharedClusters",
    "SoftEnsemble",
    "Trajectories",
    "TriLevel",
    "approximate_simrank",
    "cluster_graph",
    "cluster_jaccard",
    "co_association",
    "common_triples",
    "completed_co_association",
    "connected_triples",
    "dense_representation",
    "elite_neighbors",
    "enhanced_co_association",
    "granularity_graph",
    "guided_co_association",
    "low_rank_representation",
    "nearest_objects",
    "posterior_graph",
    "posterior_similarity",
    "propagated_similarity",
    "refined_co_association",
    "self_paced_similarity",
    "simrank",
    "smoothed_similarity",
    "soft_ensemble",
    "trajectories",
    "transition_matrix",
    "tri_level_similarity",
    "triple_similarity",
]
