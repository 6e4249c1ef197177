"""The screens of the app: its rooms, the screens opened from them, and dialogs."""
