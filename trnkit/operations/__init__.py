"""What the commands do: functions of values that answer with frozen report values.

Nothing here prints, exits or reads the command line.
"""
