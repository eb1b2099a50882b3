"""kbot's own benchmark: `python -m bench [names]`; see docs/benchmarks.md."""
