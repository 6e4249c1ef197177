"""What a person sees at a time: the rooms of the app, and the dialogs before them."""
