"""The wait events of the write path, by the beginning of their names."""

from __future__ import annotations

from typing import Final

#: Prefixes of event names, the part of the write path that waits for them, and the name of the
#: group. The first match counts.
PARTS: Final[tuple[tuple[str, str, str], ...]] = (
    ("log file switch", "redo", "log switches"),
    ("log file sync", "redo", "commits"),
    ("log buffer space", "redo", "log buffer space"),
    ("flashback log file sync", "redo", "flashback logs"),
    ("flashback buf free by RVWR", "redo", "flashback logs"),
    ("direct path read temp", "temp", "temp I/O"),
    ("direct path write temp", "temp", "temp I/O"),
    ("enq: US", "undo", "undo segments"),
    ("undo segment", "undo", "undo segments"),
    ("free buffer waits", "checkpoint", "free buffers"),
    ("write complete waits", "checkpoint", "block writes"),
    ("checkpoint completed", "checkpoint", "checkpoints"),
    ("enq: KO", "checkpoint", "object checkpoints"),
    ("enq: RO", "checkpoint", "object checkpoints"),
    ("enq: CR", "checkpoint", "object checkpoints"),
    ("local write wait", "checkpoint", "object checkpoints"),
)
#: Only background processes wait for these, whichever list shows them.
PROCESSES: Final = (
    "log file parallel write",
    "db file parallel write",
    "control file parallel write",
    "gcs log flush sync",  # LMS, before it ships a block (RAC)
)
#: All that sessions and background processes of the write path wait for.
EVENTS: Final = (
    *(prefix for prefix, _, _ in PARTS), *PROCESSES, "direct path write", "control file",
)  # fmt: skip
