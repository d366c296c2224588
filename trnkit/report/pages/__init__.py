"""Pages for a browser: markup that escapes, tables and pictures; no script, nothing from the net."""
