"""The server itself: who may ask, the way in, timeouts, JSON in and out."""
