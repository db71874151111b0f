"""A study in one file that anybody can compute again: packed here, replayed there."""
