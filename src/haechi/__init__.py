"""Haechi scores conversational AI with rubrics one can trust."""
