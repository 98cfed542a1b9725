"""Rows from anything: lists, arrays, tensors, data frames, Arrow."""

from assay.inputs.arrays import column
from assay.inputs.columns import Column
from assay.inputs.cut_points import cut
from assay.inputs.labels import Label, Labels, encode, label_union
from assay.inputs.roles import Rows, need_columns, need_rows, rows

__all__ = [
    "Column",
    "Label",
    "Labels",
    "Rows",
    "column",
    "cut",
    "encode",
    "label_union",
    "need_columns",
    "need_rows",
    "rows",
]
