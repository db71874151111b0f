"""The tables that both a command and the report show, each made in one place."""
