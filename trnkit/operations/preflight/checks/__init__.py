"""One check a file, each of which assigns `CHECK`; nothing lists them."""
