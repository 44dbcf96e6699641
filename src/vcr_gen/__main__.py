"""`python -m vcr_gen` is the command `vcr-gen`."""

import sys

from vcr_gen.cli import main

if __name__ == "__main__":
    sys.exit(main())
