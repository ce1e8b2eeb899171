"""Compiled templates, kept where Python keeps compiled modules.

To compile the templates of a page takes as long as to analyze a report and to fill them.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awrlens import files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import BytecodeCache
    from jinja2.bccache import Bucket


def kept(options: Mapping[str, Any]) -> BytecodeCache:
    """Keeps the code of templates in ``__pycache__``, if Python keeps that of modules.

    Code is used for the same template, options, Python and jinja2 only. The template is compiled
    if the folder cannot be written to or a file is damaged.
    """
    import jinja2

    class Kept(jinja2.BytecodeCache):
        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            return cache_from_source(f"{filename or name}.py")

        def get_source_checksum(self, source: str) -> str:
            return super().get_source_checksum(f"{jinja2.__version__} {options} {source}")

        def load_bytecode(self, bucket: Bucket) -> None:
            try:
                with Path(bucket.key).open("rb") as file:
                    bucket.load_bytecode(file)
            except Exception:  # noqa: BLE001 - a damaged pickle raises anything
                bucket.reset()

        def dump_bytecode(self, bucket: Bucket) -> None:
            if sys.dont_write_bytecode:
                return
            with suppress(OSError):
                Path(bucket.key).parent.mkdir(parents=True, exist_ok=True)
                files.write(bucket.key, bucket.bytecode_to_string())

    return Kept()
