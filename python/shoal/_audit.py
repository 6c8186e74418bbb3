"""An audit of any function: runs on two inputs, and a lower bound on what they give away."""

import json
from dataclasses import dataclass, field

import numpy as np

from ._errors import UsageError
from ._shoal import judge


@dataclass(frozen=True)
class Audit:
    """What an audit found. `broken` means that the claim is refuted; the opposite proves nothing."""

    broken: bool
    epsilon: float
    epsilon_at_least: float
    event: str
    runs: int
    alpha: float
    curve: list = field(repr=False)

    def __str__(self):
        verdict = "the claim is refuted" if self.broken else "the claim was not refuted, which is no proof of it"
        return (
            f"claimed ε = {self.epsilon:g}; lower bound {self.epsilon_at_least:.3g} from {self.runs:,} runs on each input "
            f"(wrong with probability at most {self.alpha:g}): {verdict}. Event: {self.event}"
        )


def audit(function, pair, epsilon=1.0, delta=0.0, runs=20_000, alpha=1e-6):
    """Audits a privacy claim: prints, when shown, an empirical lower bound on ε next to the claimed ε.

    `function` is run many times on each of the two neighbouring inputs of `pair`, and may return a number or an array of
    numbers. The first half of the runs chooses an event, the second half counts how often it happens.

    >>> import numpy as np, shoal
    >>> rng = np.random.default_rng(1)
    >>> count = lambda rows: len(rows) + rng.laplace(scale=1 / 3)  # noise for ε = 3
    >>> shoal.audit(count, ([], [1]), epsilon=1).broken
    True
    """
    if not callable(function):
        raise UsageError("function has to be callable: the mechanism to audit", "not-callable")
    first, second = pair
    runs = int(runs)
    if runs < 200:
        raise UsageError("runs: give 200 or more; with fewer nothing can be refuted", "too-few-runs")
    if not (epsilon >= 0 and 0 <= delta < 1 and 0 < alpha < 1):
        raise UsageError("give epsilon ≥ 0, delta from 0 to 1 and alpha between 0 and 1", "guess-out-of-range")

    def draw(data):
        def numbers():
            return np.asarray(function(data), dtype=float).ravel().tolist()

        return [numbers() for _ in range(runs)]

    found = json.loads(judge(draw(first), draw(second), float(epsilon), float(delta), float(alpha)))
    return Audit(
        broken=found["broken"],
        epsilon=float(epsilon),
        epsilon_at_least=found["epsilon_at_least"] or 0.0,
        event=found["event"] or "none",
        runs=found["runs"],
        alpha=found["alpha"],
        curve=found["curve"],
    )
