"""Tools of the maintainers."""
