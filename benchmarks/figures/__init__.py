"""The evaluations of the literature as programs: what a paper prints, beside what is measured here.

`python -m benchmarks.figures [NAME ...]` runs the named figures, or all, and writes each as a CSV file and a picture.
A module of this package that has a function `figure` or `figures` is found by itself.
"""
