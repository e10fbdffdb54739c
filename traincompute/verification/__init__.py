"""Whether a release is what it says it is, judged as if it were hostile."""
