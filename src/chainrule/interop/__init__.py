"""Converts models to and from PyTorch, and to ONNX. For JAX, see `Compiled.to_jax`."""

from .onnx_files import export_onnx as export_onnx
from .torch_models import from_torch as from_torch
from .torch_models import to_torch as to_torch
