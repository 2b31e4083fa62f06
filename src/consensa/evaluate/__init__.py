"""Scores: how well two clusterings agree, a clustering with an ensemble, an object with its cluster."""

from consensa.evaluate.choice import AgreementChoice, agreement_scores
from consensa.evaluate.confidence import confidence
from consensa.evaluate.contingency import contingency
from consensa.evaluate.feature_weights import consensus_feature_weights
from consensa.evaluate.scores import accuracy, anmi, ari, error_rate, nmi

__all__ = [
    "AgreementChoice",
    "accuracy",
    "agreement_scores",
    "anmi",
    "ari",
    "confidence",
    "consensus_feature_weights",
    "contingency",
    "error_rate",
    "nmi",
]
