"""Weights of clusters: an Ensemble in, one weight per cluster out."""

from consensa.weigh.entropy import cluster_uncertainty, entropy_weights
from consensa.weigh.uniform import uniform_weights

__all__ = ["cluster_uncertainty", "entropy_weights", "uniform_weights"]
