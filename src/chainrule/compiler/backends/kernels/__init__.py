"""Kernels: C text compiled at run time into functions that the machine calls. See `building.build`."""
