"""The Postgres server that kbot brings and runs itself; not on Windows."""
