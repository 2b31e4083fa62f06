"""Scores: how well two clusterings agree, a clustering with an ensemble, an object with its cluster."""

from consensa.evaluate.agreement import member_agreement, smallest_accepted
from consensa.evaluate.align import align_labels
from consensa.evaluate.assign import assign_labels
from consensa.evaluate.choice import AgreementChoice, agreement_scores
from consensa.evaluate.choose_k import choose_cut, choose_k
from consensa.evaluate.confidence import confidence
from consensa.evaluate.consensus_index import consensus_cdf, consensus_cdfs, delta_area, pac
from consensa.evaluate.contingency import contingency
from consensa.evaluate.feature_weights import consensus_feature_weights
from consensa.evaluate.gaps import eigengaps, lifetimes
from consensa.evaluate.k_choice import KChoice
from consensa.evaluate.membership import cluster_consensus, item_consensus, soft_membership
from consensa.evaluate.reliability import (
    ClusterReliability,
    PartitionReliability,
    cluster_reliability,
    partition_reliability,
)
from consensa.evaluate.scores import accuracy, anmi, ari, error_rate, nmi
from consensa.evaluate.stability import stability

__all__ = [
    "AgreementChoice",
    "ClusterReliability",
    "KChoice",
    "PartitionReliability",
    "accuracy",
    "agreement_scores",
    "align_labels",
    "anmi",
    "ari",
    "assign_labels",
    "choose_cut",
    "choose_k",
    "cluster_consensus",
    "cluster_reliability",
    "confidence",
    "consensus_cdf",
    "consensus_cdfs",
    "consensus_feature_weights",
    "contingency",
    "delta_area",
    "eigengaps",
    "error_rate",
    "item_consensus",
    "lifetimes",
    "member_agreement",
    "nmi",
    "pac",
    "partition_reliability",
    "smallest_accepted",
    "soft_membership",
    "stability",
]
