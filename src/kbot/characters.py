"""Text that everything else can take."""


def storable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, such as a byte of a name that is no text."""
    return text.encode("utf-8", "replace").decode()
