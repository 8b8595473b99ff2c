"""Frames of any library, in and out."""
