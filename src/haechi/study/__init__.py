"""The study folder as one class, a reason to change at a time: what is read of it, what comes in, and the study itself."""
