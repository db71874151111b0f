"""What a third party can add to Haechi."""
