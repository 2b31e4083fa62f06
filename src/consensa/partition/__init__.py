"""From a relation to labels: dendrograms and graph cuts, both cut into any number of clusters."""

from consensa.partition.agglomerate import agglomerate
from consensa.partition.dendrogram import Dendrogram
from consensa.partition.kmeans import weighted_kmeans
from consensa.partition.transfer_cut import TransferCut, transfer_cut

__all__ = ["Dendrogram", "TransferCut", "agglomerate", "transfer_cut", "weighted_kmeans"]
