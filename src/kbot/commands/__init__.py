"""What the commands of `kbot` do, once their arguments are read."""
