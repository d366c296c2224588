"""The generated pages of docs/, one module a page: each has `render()`, which returns the text."""
