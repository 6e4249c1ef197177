"""From a question's words to an intent over the graph, and to MARC's task."""
