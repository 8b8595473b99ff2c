"""What an algorithm decided, as data that can be stored and applied to any record."""
