"""Images of items: a folder matched to a catalogue, stored as thumbnails, and described.

    folder of files -> folder      what lies there, links left out
                    -> matching    file names, or a column of the catalogue -> items
                    -> intake      opened, made small, looked at; taken in together
                    -> descriptions    what was seen, as the text that items are found by

The store's side is `graph/image_store`, opening and looking is `images/`; vectors of pictures are
`index/image_index`.
"""
