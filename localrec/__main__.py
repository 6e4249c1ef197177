"""`python -m localrec` is the command `localrec`."""

from localrec.cli.app import main

main()
