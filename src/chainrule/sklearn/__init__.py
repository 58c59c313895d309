"""Estimators for scikit-learn: Classifier and Regressor, on `nn.MLP` or on a model of one's own."""

from .estimators import Classifier, Regressor

__all__ = ["Classifier", "Regressor"]
