"""Base clusterings from features: a feature matrix in, a label matrix out. Knows nothing of consensus."""

from consensa.generate.kmeans import KMeansPartitions
from consensa.generate.metric_subspace import MetricSubspacePartitions

__all__ = ["KMeansPartitions", "MetricSubspacePartitions"]
