"""Small published data sets that examples and tests share."""

from __future__ import annotations

import numpy as np

from haechi.stats.ratings import Floats

NA = float("nan")

# Six items, four judges: Shrout & Fleiss 1979, table 2.
SHROUT_FLEISS: Floats = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=np.float64
)

# Twelve units, four coders with gaps: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
KRIPPENDORFF: Floats = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3],
        [NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA],
    ]
).T
