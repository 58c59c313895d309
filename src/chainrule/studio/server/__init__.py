"""The server: access control, sign-in, timeouts, JSON."""
