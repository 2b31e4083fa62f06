"""What speed was aimed at, measured, and whether it was reached."""
