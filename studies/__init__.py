"""What we found out with consensa: the papers' tables again, and questions of our own, each a command."""
