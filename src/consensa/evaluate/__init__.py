"""Scores: how well two clusterings agree, a clustering with an ensemble, an object with its cluster."""

from consensa.evaluate.choice import agreement_scores
from consensa.evaluate.confidence import confidence
from consensa.evaluate.contingency import contingency
from consensa.evaluate.scores import accuracy, anmi, ari, error_rate, nmi

__all__ = ["accuracy", "agreement_scores", "anmi", "ari", "confidence", "contingency", "error_rate", "nmi"]
