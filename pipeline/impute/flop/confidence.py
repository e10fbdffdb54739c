"""How far a figure may be off either way, by the confidence word that it deserves: before a calibration has measured
it, and where nothing is measured. The factors are those of schemas/vocab/confidence.yml
(epoch.ai/data/ai-models-documentation/estimation)."""

from __future__ import annotations

import math

CONFIDENT, LIKELY = 3.0, 10.0
# The same as half-widths of a 90 % interval in dex: for what sources state, and for what rests on an assumption.
STATED_DEX = round(math.log10(CONFIDENT), 2)
ASSUMED_DEX = round(math.log10(LIKELY), 2)
