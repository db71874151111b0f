"""From ratings and runs to scores: vectorised, by the rubric's own arithmetic."""
