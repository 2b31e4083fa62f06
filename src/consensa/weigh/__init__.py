"""Weights of clusters: an Ensemble in, one weight per cluster out."""

from consensa.weigh.divergence import cluster_divergence, divergence_weights
from consensa.weigh.entropy import cluster_uncertainty, entropy_weights, normalised_entropy_weights
from consensa.weigh.ncai import crowd_agreement, crowd_weights
from consensa.weigh.uniform import uniform_weights

__all__ = [
    "cluster_divergence",
    "cluster_uncertainty",
    "crowd_agreement",
    "crowd_weights",
    "divergence_weights",
    "entropy_weights",
    "normalised_entropy_weights",
    "uniform_weights",
]
