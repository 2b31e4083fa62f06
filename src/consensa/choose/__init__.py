"""Choosing what nobody knows: the number of clusters, with the evidence for it, and parameters by agreement."""

from consensa.choose.choose_cut import candidate_numbers, choose_cut, few_candidates
from consensa.choose.consensus_index import consensus_cdf, consensus_cdfs, delta_area, pac
from consensa.choose.gaps import eigengaps, lifetimes
from consensa.choose.k_choice import KChoice
from consensa.choose.parameter import agreement_scores
from consensa.choose.significance import Significance, TestedSplit
from consensa.choose.stability import stability

__all__ = [
    "KChoice",
    "Significance",
    "TestedSplit",
    "agreement_scores",
    "candidate_numbers",
    "choose_cut",
    "consensus_cdf",
    "consensus_cdfs",
    "delta_area",
    "eigengaps",
    "few_candidates",
    "lifetimes",
    "pac",
    "stability",
]
