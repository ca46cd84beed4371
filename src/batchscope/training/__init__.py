"""The engine: many trials of one study advanced together."""
