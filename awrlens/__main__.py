"""``python -m awrlens``."""

from awrlens.cli import main

main()
