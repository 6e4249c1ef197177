"""`python -m localrec` is the command `localrec`."""

from localrec.cli.start import main

main()
