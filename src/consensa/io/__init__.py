"""Files in and out: the only room that opens them."""
