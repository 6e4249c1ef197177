"""What everything stands on: errors, paths, settings, text, files, jobs and progress."""
