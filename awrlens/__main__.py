"""``awrlens`` and ``python -m awrlens``."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line."""
    gc.disable()  # modules stay, so a search for cycles in them is in vain; `cli.main` enables it
    from awrlens import cli

    cli.main()


if __name__ == "__main__":
    main()
