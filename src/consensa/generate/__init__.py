"""Base clusterings from features: a feature matrix in, a label matrix out. Knows nothing of consensus."""

from consensa.generate.estimators import EstimatorPartitions
from consensa.generate.kmeans import KMeansPartitions
from consensa.generate.lac import LAC
from consensa.generate.lac_partitions import LACPartitions
from consensa.generate.metric_subspace import MetricSubspacePartitions
from consensa.generate.mixed import MixedPartitions
from consensa.generate.rpcl import RPCLPartitions
from consensa.generate.stratified import StratifiedPartitions
from consensa.generate.subsample import SubsamplePartitions
from consensa.generate.uspec_partitions import USPECPartitions

__all__ = [
    "LAC",
    "EstimatorPartitions",
    "KMeansPartitions",
    "LACPartitions",
    "MetricSubspacePartitions",
    "MixedPartitions",
    "RPCLPartitions",
    "StratifiedPartitions",
    "SubsamplePartitions",
    "USPECPartitions",
]
