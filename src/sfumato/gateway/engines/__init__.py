"""Engines that answer questions, each of which can reach nothing but masked relations."""
