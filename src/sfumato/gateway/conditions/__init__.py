"""The condition language of policies: parsing, evaluation in Python, and translation to SQL."""
