"""kbot's own benchmark: `python -m bench [names]`; see docs/benchmarks.md."""

import sys
from pathlib import Path

# The local platforms and the documents that the tests ask about.
_TESTS = Path(__file__).parents[1] / "tests"
sys.path[1:1] = [str(_TESTS), str(_TESTS / "adapters")]
