"""Images: opened safely, and analysed without a model.

`opening.open_image` returns a small `DecodedImage`; a domain pack's analyser (`analyzers`) returns
its `ImageAttributes`. Nothing here knows the graph: the words are those of the domain's taxonomy.
"""
