"""Conversations as people export them from chats, tools and traces; a format is a file here and a line in `FORMATS`."""
