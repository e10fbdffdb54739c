"""Estimates of training compute, each with its formula, inputs and 90 % interval."""
