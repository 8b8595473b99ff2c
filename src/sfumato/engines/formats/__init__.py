"""Formats that no engine reads: workbooks and files of statistics programs, converted to tables."""
