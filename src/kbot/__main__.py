"""`python -m kbot` is the command `kbot`."""

from kbot.cli import main

main()
