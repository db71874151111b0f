"""The makers of judge models: what they are sent and what they send back."""
