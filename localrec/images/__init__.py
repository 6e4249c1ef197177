"""Images: opened safely, and analysed without a model.

`opening.open_image` gives a small `Picture`; `looks.look_at` says what was measured in it, as a
`sight.Sight`. Nothing here knows the graph: words are those of the domain's taxonomy.
"""
