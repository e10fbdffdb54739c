"""Figures of the dataset: Vega-Lite drawn by altair, written as SVG and PNG without a browser or a net."""
