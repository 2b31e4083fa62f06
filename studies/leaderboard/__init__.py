"""Every method on every pool: rows shuffled, one fixed setting each, no truth used."""
