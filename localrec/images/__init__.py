"""Pictures: opened safely, and what can be seen in one without any model.

`opening.open_image` gives a small `Picture`; `looks.look_at` says what was measured in it, as a
`sight.Sight`. Nothing here knows the graph: words are those of the domain's taxonomy.
"""
