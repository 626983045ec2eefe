"""The web page: a small server on the loopback interface, and the page it serves."""
