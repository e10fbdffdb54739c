"""The models of a public hub: listed, estimated by the same formulas on an engine that reads from disk, and discovered."""
