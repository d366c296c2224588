"""Pages for a browser: markup that escapes, tables, pictures; no script, nothing from the net."""
