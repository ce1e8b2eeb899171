"""The plan of a crash test: whether an instance recovers in the desired time.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from awrlens.advice import mttr
from awrlens.records import NamedTuple
from awrlens.recovery.runs import ENOUGH

#: Scripts by name, and their files.
SCRIPTS: Final = {"sample": "sample.sql", "crash": "crash_test.sh"}
#: Seconds of sampling before a crash: the load is steady by then.
_SAMPLING_S: Final = 600

_PARAMETERS: Final = (
    "SELECT name, value FROM v$parameter WHERE name LIKE 'fast_start%target' "
    "OR name LIKE 'log_checkpoint_%';"
)


class Step(NamedTuple):
    """One step: what to do, why, and its commands."""

    title: str
    text: str
    commands: tuple[str, ...] = ()


class Plan(NamedTuple):
    """The steps of a crash test."""

    target_s: int
    desired_s: float | None
    rac: bool
    runs: int
    steps: tuple[Step, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "target_s": self.target_s, "desired_s": self.desired_s, "rac": self.rac,
            "runs": self.runs,
            "steps": [
                {"title": each.title, "text": each.text, "commands": list(each.commands)}
                for each in self.steps
            ],
        }  # fmt: skip


def script(name: str) -> str:
    """The text of a script."""
    return Path(__file__).with_name(SCRIPTS[name]).read_text(encoding="utf-8")


def plan(request: mttr.Request, target_s: int | None = None, runs: int = ENOUGH + 1) -> Plan:
    """The steps with a target, or with the one for the desired time."""
    value = mttr.target(request).fast_start_mttr_target_s if target_s is None else target_s
    everywhere = " SID='*'" if request.rac else ""
    desired = request.desired_mttr_s
    judged = f" --desired-mttr {desired:g}" if desired is not None else ""
    who = "all instances" if request.rac else "the instance"
    after = (
        "Another instance detects the failure and recovers; its alert log has the recovery."
        if request.rac
        else "Start the instance again (STARTUP): it recovers, and its alert log has the recovery."
    )
    return Plan(value, desired, request.rac, runs, (
        Step(
            "Set the same target",
            f"Use a test system with a backup. Set FAST_START_MTTR_TARGET={value} for {who}, and "
            "nothing else that limits checkpoints.",
            (
                f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{everywhere};",
                f"ALTER SYSTEM SET log_checkpoint_interval=0 SCOPE=BOTH{everywhere};",
                f"ALTER SYSTEM SET log_checkpoint_timeout=0 SCOPE=BOTH{everywhere};",
                _PARAMETERS,
            ),
        ),
        Step(
            "Sample without a crash, with and without the target",
            "Apply the load of the peak. Sample ten minutes with the target, and ten minutes with "
            "FAST_START_MTTR_TARGET=0, each with a Statspack or AWR snapshot before and after. The "
            "samples show how even the writes are, the reports whether the I/O has capacity left.",
            (
                "awrlens recovery plan --script sample > sample.sql",
                "awrlens recovery plan --script crash > crash_test.sh",
                f"sh crash_test.sh {_SAMPLING_S} keep",
                "awrlens recovery samples awrlens_samples_$ORACLE_SID.txt",
            ),
        ),
        Step(
            "Crash the instance at peak load",
            "The script kills PMON after the load has become steady. THIS CRASHES THE INSTANCE. "
            f"{after}",
            (f"sh crash_test.sh {_SAMPLING_S}",),
        ),
        Step(
            f"Repeat it: {runs} runs",
            "The same target, the same load. Oracle's estimates become accurate after three or "
            "four runs; the last run decides.",
        ),
        Step(
            "Read the verdict",
            "Within a few seconds of the desired time: nothing else is to do. Too long: either the "
            "lower bound is reached, or there is a bottleneck, which is looked for in the report. "
            "If it is not in the report without the target, the target exceeds the I/O capacity.",
            (
                f"awrlens recovery measure alert*.log{judged} --report on.html --without off.html",
            ),
        ),
    ))  # fmt: skip
