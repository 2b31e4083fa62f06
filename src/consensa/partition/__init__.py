"""From a relation to labels: dendrograms and graph cuts, both cut into any number of clusters."""

from consensa.partition.agglomerate import agglomerate
from consensa.partition.canonical import canonical_order
from consensa.partition.dendrogram import Dendrogram
from consensa.partition.hypergraph import hypergraph_cut
from consensa.partition.kmeans import weighted_kmeans
from consensa.partition.learned import LearnedCut
from consensa.partition.meta_clusters import meta_clusters
from consensa.partition.metis import metis
from consensa.partition.normalised_cut import normalised_cut
from consensa.partition.paths import path_similarity
from consensa.partition.pieces import agglomerate_pieces
from consensa.partition.random_walker import random_walker
from consensa.partition.spectral import SpectralCut
from consensa.partition.structured import structured_cut
from consensa.partition.transfer_cut import transfer_cut

__all__ = [
    "Dendrogram",
    "LearnedCut",
    "SpectralCut",
    "agglomerate",
    "agglomerate_pieces",
    "canonical_order",
    "hypergraph_cut",
    "meta_clusters",
    "metis",
    "normalised_cut",
    "path_similarity",
    "random_walker",
    "structured_cut",
    "transfer_cut",
    "weighted_kmeans",
]
