"""The services behind the screens, over one workspace whose store is held for moments only."""
