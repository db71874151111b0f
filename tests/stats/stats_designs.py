"""Random rating designs for the property-based tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@st.composite
def ratings(draw, points=(1, 2, 3, 4, 5), gaps=True, items=(1, 12), raters=(1, 5)):
    """A matrix of items × raters over a scale, with gaps."""
    shape = (draw(st.integers(*items)), draw(st.integers(*raters)))
    cell = st.sampled_from([*map(float, points), *([float("nan")] if gaps else [])])
    return draw(hnp.arrays(np.float64, shape, elements=cell))


@st.composite
def samples(draw, least=2, most=15, whole=True):
    """A series of numbers."""
    number = st.integers(-5, 5).map(float) if whole else st.floats(-100, 100, width=32)
    return np.array(draw(st.lists(number, min_size=least, max_size=most)), float)
