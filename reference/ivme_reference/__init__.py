"""The naive executable reference."""
