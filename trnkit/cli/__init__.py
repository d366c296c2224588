"""The command line: parse, call an operation, render, exit. See `trnkit --help`."""
