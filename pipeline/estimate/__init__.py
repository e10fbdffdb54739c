"""Estimates of training compute, one file per method."""
