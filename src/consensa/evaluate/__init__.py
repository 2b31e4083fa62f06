"""Scores: how well two clusterings agree, a clustering with an ensemble, an object with its cluster."""

from consensa._doors import door
from consensa.evaluate.align import align_labels
from consensa.evaluate.assign import assign_labels
from consensa.evaluate.confidence import confidence
from consensa.evaluate.consensus_matrix import consensus_matrix
from consensa.evaluate.contingency import contingency
from consensa.evaluate.feature_weights import consensus_feature_weights
from consensa.evaluate.member_agreement import member_agreement
from consensa.evaluate.membership import cluster_consensus, item_consensus, soft_membership
from consensa.evaluate.outliers import outlier_limit, outlier_scores
from consensa.evaluate.ranking import MethodRanking, rank_methods
from consensa.evaluate.reliability import (
    ClusterReliability,
    PartitionReliability,
    cluster_reliability,
    partition_reliability,
)
from consensa.evaluate.scores import accuracy, anmi, ari, error_rate, nmi

__all__ = [
    "ClusterReliability",
    "MethodRanking",
    "PartitionReliability",
    "accuracy",
    "align_labels",
    "anmi",
    "ari",
    "assign_labels",
    "cluster_consensus",
    "cluster_reliability",
    "confidence",
    "consensus_feature_weights",
    "consensus_matrix",
    "contingency",
    "error_rate",
    "item_consensus",
    "member_agreement",
    "nmi",
    "outlier_limit",
    "outlier_scores",
    "partition_reliability",
    "rank_methods",
    "soft_membership",
]

_CHOOSE = (
    *("KChoice", "agreement_scores", "choose_cut", "consensus_cdf", "consensus_cdfs", "delta_area", "eigengaps"),
    *("lifetimes", "pac", "stability"),
)
__getattr__ = door(__name__, {**dict.fromkeys(_CHOOSE, "consensa.choose"), "choose_k": "consensa.methods.choose_k"})
