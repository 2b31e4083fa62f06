"""Base clusterings from features: a feature matrix in, a label matrix out. Knows nothing of consensus."""

from consensa.generate.kmeans import KMeansPartitions

__all__ = ["KMeansPartitions"]
