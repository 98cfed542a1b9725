"""Count rows where their tensors are: exact counts and orders on a GPU, by PyTorch or fused Triton kernels.

What comes back are small arrays of integers, so that tallies have the bits that they have of the same rows on
the CPU. PyTorch is imported by the functions that need it, never with this package.
"""
