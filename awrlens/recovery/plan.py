"""The plan of a crash test: whether an instance recovers in the desired time.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved".
"""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens.advice import mttr
from awrlens.records import NamedTuple
from awrlens.recovery import judge
from awrlens.recovery.runs import ENOUGH
from awrlens.simulate import sweep

if TYPE_CHECKING:
    from awrlens.recovery.advisor_values import Advice
    from awrlens.recovery.episodes import Episodes

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


class Lowest(NamedTuple):
    """The lowest target that can be met, and where it is known from."""

    seconds: float
    origin: str


class Plan(NamedTuple):
    """The steps of a crash test."""

    target_s: int
    desired_s: float | None
    rac: bool
    runs: int
    steps: tuple[Step, ...]
    #: What is known of the target before the test, for example that Oracle will reset it.
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "target_s": self.target_s, "desired_s": self.desired_s, "rac": self.rac,
            "runs": self.runs,
            "steps": [
                {"title": each.title, "text": each.text, "commands": list(each.commands)}
                for each in self.steps
            ],
            "notes": list(self.notes),
        }  # fmt: skip


def script(name: str) -> str:
    """The text of a script."""
    return Path(__file__).with_name(SCRIPTS[name]).read_text(encoding="utf-8")


def lowest_of(advice: Advice | None, log: Episodes | None) -> Lowest | None:
    """The highest of the lower bounds that a report and an alert log show; None without any."""
    found = []
    if advice is not None:
        found += [Lowest(each.recovery_s, "1,000 dirty blocks, start-up and opening of the files, "
                         f"estimated from {advice.name}")
                  for each in advice.limits if each.name == sweep.LEAST_BLOCKS]  # fmt: skip
    if log is not None:
        if (fixed_s := judge.offsets(log).total_s) > 0:
            found.append(Lowest(fixed_s, "start-up and opening of the files in the alert log"))
        said = "`out of the valid MTTR range` in the alert log"
        found += [Lowest(float(each.values["used"]), said) for each in log.ranges[-1:]]
    return max(found, default=None)


def plan(
    request: mttr.Request, target_s: int | None = None, runs: int = ENOUGH + 1,
    lowest: Lowest | None = None,
) -> Plan:  # fmt: skip
    """The steps with a target, or with the one for the desired time."""
    goal = mttr.target(request)
    value = goal.fast_start_mttr_target_s if target_s is None else target_s
    notes = [each.text for each in goal.notes] if target_s is None else []
    if lowest is not None and 0 < value < lowest.seconds:
        notes.append(
            f"{value} s is below the lowest target that the instance can meet: "
            f"{ceil(lowest.seconds)} s ({lowest.origin}). Recovery will take longer than {value} s."
        )
    everywhere = " SID='*'" if request.rac else ""
    desired = request.desired_mttr_s
    judged = f" --desired-mttr {desired:g}" if desired is not None else ""
    with_target = f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{everywhere};"
    who = "all instances" if request.rac else "the instance"
    after = (
        "Another instance detects the failure and recovers; its alert log has the recovery."
        if request.rac
        else "Start the instance again (STARTUP): it recovers, and its alert log has the recovery."
    )
    return Plan(value, desired, request.rac, runs, (
        Step(
            "Set the same target",
            f"Use a test system with a backup. Note the parameters, to set them again after the "
            f"test. Set FAST_START_MTTR_TARGET={value} for {who}, and nothing else that limits "
            "checkpoints.",
            (
                _PARAMETERS,
                with_target,
                f"ALTER SYSTEM SET log_checkpoint_interval=0 SCOPE=BOTH{everywhere};",
                f"ALTER SYSTEM SET log_checkpoint_timeout=0 SCOPE=BOTH{everywhere};",
            ),
        ),
        Step(
            "Sample without a crash, with and without the target",
            "Apply the load of the peak. Sample ten minutes with the target, and ten minutes with "
            "FAST_START_MTTR_TARGET=0, each with a Statspack or AWR snapshot before and after; "
            "then set the target again. Every run has its own file of samples. The samples show "
            "how even the writes are, the reports whether the I/O has capacity left.",
            (
                "awrlens recovery plan --script sample > sample.sql",
                "awrlens recovery plan --script crash > crash_test.sh",
                f"sh crash_test.sh {_SAMPLING_S} keep",
                f"ALTER SYSTEM SET fast_start_mttr_target=0 SCOPE=BOTH{everywhere};",
                f"sh crash_test.sh {_SAMPLING_S} keep",
                with_target,
                "awrlens recovery samples awrlens_samples_*.txt",
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
    ), tuple(notes))  # fmt: skip
