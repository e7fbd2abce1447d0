"""`python -m ivme.bench`."""

import sys

from ivme.bench.cli import main

if __name__ == "__main__":
    sys.exit(main())
