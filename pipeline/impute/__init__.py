"""Every number that we compute: training compute, its intervals and calibration, cost and energy, eras, trends."""
