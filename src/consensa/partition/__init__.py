"""From a relation to labels: dendrograms and graph cuts, both cut into any number of clusters."""

from consensa.partition.agglomerate import agglomerate
from consensa.partition.dendrogram import Dendrogram
from consensa.partition.kmeans import weighted_kmeans
from consensa.partition.normalised_cut import normalised_cut
from consensa.partition.pieces import agglomerate_pieces
from consensa.partition.regions import join_trees
from consensa.partition.spectral import SpectralCut
from consensa.partition.transfer_cut import transfer_cut

__all__ = [
    "Dendrogram",
    "SpectralCut",
    "agglomerate",
    "agglomerate_pieces",
    "join_trees",
    "normalised_cut",
    "transfer_cut",
    "weighted_kmeans",
]
