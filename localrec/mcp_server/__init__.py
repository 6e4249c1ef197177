"""The MCP server: other programs on this desk ask, rate and forget over standard input."""
