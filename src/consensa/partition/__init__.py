"""From a relation to labels: dendrograms and graph cuts, both cut into any number of clusters."""

from consensa.partition.agglomerate import agglomerate
from consensa.partition.agglomerate_pieces import agglomerate_pieces
from consensa.partition.agreeing_cut import AgreeingCut
from consensa.partition.anchor_cut import AnchorCut, anchor_cut
from consensa.partition.best_of import BestOfCuts
from consensa.partition.canonical import canonical_order
from consensa.partition.count_kmeans import count_kmeans
from consensa.partition.cut import Cut
from consensa.partition.dendrogram import Dendrogram
from consensa.partition.factorise import factorise
from consensa.partition.geometry import SpectralGeometry, make_utility
from consensa.partition.hyperedge_medoids import hyperedge_medoids, medoid_clusters
from consensa.partition.hypergraph import hypergraph_cut
from consensa.partition.kmeans import weighted_kmeans
from consensa.partition.learned_cut import LearnedCut
from consensa.partition.median import median_partition, mirkin_cost
from consensa.partition.meta_clusters import meta_clusters
from consensa.partition.metis import metis
from consensa.partition.mixture import fit_mixture
from consensa.partition.normalised_cut import normalised_cut
from consensa.partition.paths import path_similarity
from consensa.partition.random_walker import random_walker
from consensa.partition.sampled_tree import SampledTree, sampled_trees
from consensa.partition.spectral import SpectralCut
from consensa.partition.structured import structured_cut
from consensa.partition.transfer_cut import TransferCut, transfer_cut
from consensa.partition.voting import vote

__all__ = [
    "AgreeingCut",
    "AnchorCut",
    "BestOfCuts",
    "Cut",
    "Dendrogram",
    "LearnedCut",
    "SampledTree",
    "SpectralCut",
    "SpectralGeometry",
    "TransferCut",
    "agglomerate",
    "agglomerate_pieces",
    "anchor_cut",
    "canonical_order",
    "count_kmeans",
    "factorise",
    "fit_mixture",
    "hyperedge_medoids",
    "hypergraph_cut",
    "make_utility",
    "median_partition",
    "medoid_clusters",
    "meta_clusters",
    "metis",
    "mirkin_cost",
    "normalised_cut",
    "path_similarity",
    "random_walker",
    "sampled_trees",
    "structured_cut",
    "transfer_cut",
    "vote",
    "weighted_kmeans",
]
