"""How text, numbers, tables and data frames are written."""
