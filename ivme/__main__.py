"""`python -m ivme`: the `ivme` command."""

import sys

from ivme.cli import main

if __name__ == "__main__":
    sys.exit(main())
