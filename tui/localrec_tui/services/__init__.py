"""What works behind the screens: one workspace, opened per request and let go after a moment."""
