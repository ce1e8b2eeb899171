"""The three questions before redo logs move, answered by the spool of `awrlens sql redo-placement`.

Source: Write Accelerator, text on figure 2: what is the run queue, are the redo logs on separate
devices, does LGWR have a higher priority?
"""

from __future__ import annotations

from pathlib import PurePath

from awrlens.errors import UnreadableError
from awrlens.lazy import NamedTuple
from awrlens.units import parse_number

#: What `ps -o pid,cls,rtprio,ni,comm -p SPID` prints of LGWR between its number and its name.
_PS = ("cls", "rtprio", "ni")


class Placement(NamedTuple):
    """What a spool says, each with the number of its line."""

    source: str
    #: Processes that run or wait for a CPU, per CPU; None before 10g.
    load_per_cpu: float | None
    load_line: int
    #: Members of the redo logs, and how many other files share their disk group or directory.
    members: tuple[tuple[str, int, int], ...]
    #: Whether LGWR has a real-time class or a negative nice value; None if `ps` was not added.
    raised: bool | None
    lgwr_line: int

    @property
    def shared(self) -> str:
        """The members next to other files, as a clause; empty if there are none."""
        beside = [member for member in self.members if member[1]]
        if not beside:
            return ""
        return (
            f"{len(beside)} of {len(self.members)} members of the redo logs share their disk group "
            f"or directory with other files (line {beside[0][2]})"
        )

    def queued(self, long_per_cpu: float) -> str:
        """That the run queue was long, as a clause; empty if it was not."""
        load = self.load_per_cpu
        if load is None or load <= long_per_cpu:
            return ""
        return f"{load:.1f} processes per CPU ran or waited for one"

    def answers(self, long_per_cpu: float) -> str:
        """All that the spool answers, as a sentence with its lines."""
        named = []
        if self.load_per_cpu is not None:
            long = ", which is long" if self.queued(long_per_cpu) else ""
            named.append(f"run queue {self.load_per_cpu:.1f} per CPU{long} (line {self.load_line})")
        first, last = self.members[0][2], self.members[-1][2]
        alone = f"no other file is in their disk groups or directories (lines {first}-{last})"
        named.append(self.shared or alone)
        if self.raised is not None:
            how = "raised" if self.raised else "not raised"
            named.append(f"LGWR's priority is {how} (line {self.lgwr_line})")
        return f"Redo logs, by {PurePath(self.source).name}: {'; '.join(named)}."


def read(text: str, source: str) -> Placement:
    """The answers in a spool; the output of `ps` may follow it.

    Raises UnreadableError if the script did not write it.
    """
    amounts: dict[str, float | None] = {}
    members: list[tuple[str, int, int]] = []
    raised, lgwr_line, load_line = None, 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        first, *middle, last = words if len(words := line.split()) > 1 else ("", "")
        if first in ("LOAD", "NUM_CPUS") and not middle:
            amounts[first] = parse_number(last)
            load_line = number if first == "LOAD" else load_line
        elif first.isdigit() and last.startswith("ora_lg") and len(middle) == len(_PS):
            raised, lgwr_line = middle[0] in ("RR", "FF") or middle[-1][:-1].startswith("-"), number
        elif first.isdigit() and last.isdigit() and len(middle) > 1 and middle[0].isdigit():
            members.append((" ".join(middle[1:]), int(last), number))
    if not members:
        raise UnreadableError(
            "This is not a spool file of `awrlens sql redo-placement`: it lists no redo log.",
            source=source,
            hint="Run the script that `awrlens sql redo-placement` prints; give its spool file.",
        )
    load, cpus = amounts.get("LOAD"), amounts.get("NUM_CPUS")
    per_cpu = load / cpus if load is not None and cpus else None
    return Placement(source, per_cpu, load_line, tuple(members), raised, lgwr_line)
