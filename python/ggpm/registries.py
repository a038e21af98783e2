"""What there is, with formulas."""

from __future__ import annotations

import numpy as np

from . import _core
from ._options import parameter_of

__all__ = ["inferences", "kernels", "likelihoods", "options", "recognize_domain"]


def likelihoods():
    """The likelihoods, a DataFrame by name: domain of y, links (the first is the default),
    dispersion, formula."""
    import pandas as pd

    table = _core.likelihoods()
    return pd.DataFrame(
        {"domain": [i.domain.name for i in table], "links": [tuple(i.links) for i in table],
         "dispersion": [i.dispersion for i in table], "formula": [i.formula for i in table]},
        index=pd.Index([i.name for i in table], name="likelihood"))


def kernels():
    """The kernels, a DataFrame by name: parameters in order, formula."""
    import pandas as pd

    table = _core.kernels()
    return pd.DataFrame(
        {"parameters": [tuple(i.parameters) for i in table], "formula": [i.formula for i in table]},
        index=pd.Index([i.name for i in table], name="kernel"))


def inferences():
    """The inference methods, a DataFrame by name: title, and what the likelihood needs for it."""
    import pandas as pd

    table = _core.inferences()
    return pd.DataFrame({"title": [i.title for i in table], "needs": [i.needs for i in table]},
                        index=pd.Index([i.name for i in table], name="inference"))


def options():
    """The options of a fit, a DataFrame by name: default, and one sentence."""
    import pandas as pd

    table = _core.fit_options()
    return pd.DataFrame({"default": [i.fallback for i in table], "help": [i.help for i in table]},
                        index=pd.Index([parameter_of(i.name) for i in table], name="option"))


def recognize_domain(y, has_trials: bool = False) -> tuple[str, str]:
    """What kind of number y is, and why: ``("count", "80 rows, all whole numbers 2…16 → count")``."""
    domain, reason = _core.recognize_domain(np.asarray(y, dtype=np.float64), has_trials)
    return domain.name, reason
