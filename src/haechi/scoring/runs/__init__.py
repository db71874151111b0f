"""Scoring of agent runs: payloads to measures, measures to points, in bounded memory."""
