"""Scikit-learn estimators around `train.fit`. Inputs and targets are standardised inside."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from .. import nn, optim
from ..compiler import Compiled, CompileError, compile
from ..nn.losses import LossName
from ..nn.module import as_module
from ..support.errors import kind_of
from ..support.tree import flatten
from ..train import fit
from ..train.choosing import EngineName
from ..value import no_grad

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise ImportError(
        "chainrule.sklearn needs scikit-learn 1.6 or later: pip install 'chainrule[sklearn]'"
    ) from None

Array = Any
Build = Callable[[int, int, int], Any]
MOST_SEEDS = 2**31 - 1


class _Estimator(BaseEstimator, ABC):  # type: ignore[misc]
    """What both estimators share: the parameters, training and prediction."""

    def __init__(
        self,
        model: Any = None,
        *,
        hidden: Sequence[int] = (16, 16),
        activation: Any = "tanh",
        learning_rate: float = 0.01,
        weight_decay: float = 0.0,
        epochs: int = 200,
        batch_size: int = 200,
        standardize: bool = True,
        engine: EngineName = "auto",
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.hidden = hidden
        self.activation = activation
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.batch_size = batch_size
        self.standardize = standardize
        self.engine = engine
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        # The scales and the model belong together: if fit fails, all of them stay the old ones.
        learner = copy.copy(self)
        learner._learn(X, y)
        self.__dict__ = learner.__dict__
        return self

    @abstractmethod
    def _learn(self, X: Any, y: Any) -> None:
        """Set the fitted attributes."""

    def _train(self, loss: LossName, X: Array, targets: Array, outputs: int) -> None:
        """Set the fitted attributes that both kinds have."""
        self.x_mean_, self.x_scale_ = _mean_and_scale(X, self.standardize)
        seed = int(check_random_state(self.random_state).randint(MOST_SEEDS))
        model = self._built(X.shape[1], outputs, seed)
        self.history_ = fit(
            model,
            loss,
            self._scaled(X),
            targets,
            optimizer=optim.Adam(
                model.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay
            ),
            epochs=self.epochs,
            batch_size=min(self.batch_size, len(X)),
            seed=seed,
            engine=self.engine,
            progress=False,
        )
        self.model_ = model
        self._compiled: Compiled[Any] = compile(model)

    def _built(self, inputs: int, outputs: int, seed: int) -> nn.Module:
        """A new model."""
        if self.model is None:
            if not hasattr(self.hidden, "__iter__"):
                raise TypeError(
                    f"hidden must be a list with the size of each hidden layer, got {self.hidden!r}: "
                    f"write [{self.hidden!r}] for one layer"
                )
            return nn.MLP(inputs, [*self.hidden, outputs], self.activation, init="xavier", seed=seed)
        if callable(getattr(self.model, "parameters", None)) and not isinstance(self.model, type):
            return as_module(copy.deepcopy(self.model))
        if not callable(self.model):
            raise TypeError(
                f"model must be a model, or a function (inputs, outputs, seed) that returns one, got "
                f"{kind_of(self.model)}"
            )
        return as_module(self.model(inputs, outputs, seed))

    def _scaled(self, X: Array) -> Array:
        return (X - self.x_mean_) / self.x_scale_

    def _outputs(self, X: Any) -> Array:
        """The outputs of the model, one row for each sample."""
        check_is_fitted(self)
        X = self._scaled(validate_data(self, X, dtype=float, reset=False))
        try:
            found = _rows(self._compiled(X), len(X))
        except CompileError:
            with no_grad():
                rows = [flatten(self.model_(x))[0] for x in X]
            found = np.array([[x.data for x in row] for row in rows])
        return found


class Regressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    """Predicts one number for each sample, or several if y has several columns.

    Arguments:
        model: None for an nn.MLP; or a model of your own, of which a copy is trained; or a function
            (inputs, outputs, seed) that returns a model. A model takes one sample and returns a Value,
            or a list of Values for several outputs; its `parameters()` returns its leaf Values.
        hidden, activation: the sizes and the activation of the hidden layers of the nn.MLP.
        learning_rate, weight_decay: of Adam. From few or noisy samples, a weight decay makes predictions
            better; search for one from 0.1 to 10, divided by the number of samples.
        epochs, batch_size, engine: as in `train.fit`.
        standardize: whether the model sees inputs and targets of mean 0 and standard deviation 1;
            predictions have the scale of the targets in any case.

    """

    def _learn(self, X: Any, y: Any) -> None:
        X, y = validate_data(self, X, y, dtype=float, multi_output=True, y_numeric=True)
        y = np.asarray(y, float)
        self.y_mean_, self.y_scale_ = _mean_and_scale(y, self.standardize)
        self._train("mse", X, (y - self.y_mean_) / self.y_scale_, 1 if y.ndim == 1 else y.shape[1])

    def predict(self, X: Any) -> Array:
        found = self._outputs(X)
        return (found if np.ndim(self.y_mean_) else found[:, 0]) * self.y_scale_ + self.y_mean_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class Classifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    """Predicts the class of each sample, and the probability of each class.

    The arguments are those of `Regressor`. The outputs of the model are logits: one for two classes,
    otherwise one for each class.
    """

    def _learn(self, X: Any, y: Any) -> None:
        X, y = validate_data(self, X, y, dtype=float)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        count = len(self.classes_)
        if count < 2:
            raise ValueError(f"Classifier needs samples of two classes or more, got {count} class")
        if count == 2:
            self._train("binary_cross_entropy_with_logits", X, labels.astype(float), 1)
        else:
            self._train("cross_entropy", X, labels, count)

    def predict_proba(self, X: Any) -> Array:
        """The probability of each of `classes_`, one row for each sample."""
        logits = self._outputs(X)
        if logits.shape[1] == 1:
            logits = np.concatenate([-logits, logits], axis=1) / 2
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Array:
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]


def _mean_and_scale(numbers: Array, standardize: bool) -> tuple[Array, Array]:
    """The mean and the standard deviation of each column; 1 for a constant column."""
    if not standardize:
        return np.zeros(numbers.shape[1:])[()], np.ones(numbers.shape[1:])[()]
    mean, deviation = numbers.mean(axis=0), numbers.std(axis=0)
    tiny = 10 * np.finfo(float).eps * np.abs(numbers).max(axis=0)
    return mean, np.where(deviation <= tiny, 1.0, deviation)[()]


def _rows(results: Any, samples: int) -> Array:
    """The results of a compiled model as one row for each sample."""
    columns = list(results) if isinstance(results, (list, tuple)) else [results]
    return np.concatenate([np.reshape(column, (samples, -1)) for column in columns], axis=1)
