"""The workspaces of evaluations, told from those of teams by their names."""

import re

_EVALUATION = re.compile(r"eval-[0-9a-f]{16}")


def evaluation_workspace(digest: str) -> str:
    """The workspace of what an evaluation asks of, from a digest, in hex, of all that decides its passages."""
    return f"eval-{digest[:16]}"


def is_evaluation(workspace: str) -> bool:
    """Whether a workspace is an evaluation's. Its name says by which embedder and how it was cut, so that it stays as
    it is; which reranker searches in it is a matter of each run."""
    return _EVALUATION.fullmatch(workspace) is not None
