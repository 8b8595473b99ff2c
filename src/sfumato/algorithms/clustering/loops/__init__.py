"""Compiled loops of clustering; `kernels.covers` has the loss that all of them compute.

Arrays over rows and groups have one contiguous row per term of the loss, so that the inner loops run over neighbouring
numbers.
"""
