"""What is remembered of people and items, in words, and kept up to date behind the scenes."""
