"""`python -m ivme.verify` is `ivme verify`."""

from __future__ import annotations

import sys

from ivme.cli import main

if __name__ == "__main__":
    sys.exit(main(["verify", *sys.argv[1:]]))
