"""Gold questions and measured figures."""
