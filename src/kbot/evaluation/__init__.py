"""The instrument: how well kbot finds, cites and refuses, measured on labelled questions."""
