"""Figures in texts: amounts, dates and times, read so that they can be compared, and what a text holds of them."""
