"""Images of items: a folder matched to a catalogue, stored as thumbnails, and described.

    folder of files -> folder_import   list the files, without links; store them in one step
                    -> file_matching   file names, or a column of the catalogue -> items
                    -> descriptions    describe images as the text that questions search

The store's part is `graph/image_store`; `images/` opens and measures; vectors of images are in
`index/image_index`.
"""
