"""AI judges: asked live or in batches through the providers, within a budget, nothing lost."""
