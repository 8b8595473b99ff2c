"""Transforms as SQL: expressions that mean the same on every engine. Only what builds SQL loads this folder."""
