"""localrec: a private recommender that keeps everything on one machine.

Importing the package loads nothing heavy; the command line starts in `localrec.cli.app`,
a workspace in `localrec.workspace`.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("localrec")
except PackageNotFoundError:  # a checkout that was never installed
    __version__ = "0+unknown"
