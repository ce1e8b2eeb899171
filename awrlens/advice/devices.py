"""Latencies of kinds of storage, to estimate what a move to them would save.

The figures are those of the vendor or the cited document for small I/O; measure your own storage.
Where a source says "below", the bound itself is used, so that savings are not overstated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens import nearest
from awrlens.errors import UsageError
from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Mapping


#: Throughput of a device whose source does not state it.
USUAL_MB_S: Final = 1000.0


class Device(NamedTuple):
    """A kind of storage: ms for a small redo write and for a read of a few blocks, and MB/s.

    An operation takes the latency plus its size divided by the throughput. Writes to temporary and
    undo tablespaces take as long as a redo write, and undo reads as long as other reads, unless the
    source has figures of their own.
    """

    name: str
    title: str
    write_ms: float
    read_ms: float
    source: str
    mb_s: float = USUAL_MB_S
    own_temp_write_ms: float | None = None
    own_undo_write_ms: float | None = None
    own_undo_read_ms: float | None = None

    @property
    def temp_write_ms(self) -> float:
        """A write to a temporary tablespace."""
        return self.own_temp_write_ms or self.write_ms

    @property
    def undo_write_ms(self) -> float:
        """A write to an undo tablespace."""
        return self.own_undo_write_ms or self.write_ms

    @property
    def undo_read_ms(self) -> float:
        """A read from an undo tablespace."""
        return self.own_undo_read_ms or self.read_ms

    @property
    def settings(self) -> dict[str, float]:
        """The thresholds that describe it."""
        return {
            "device.write_ms": self.write_ms,
            "device.read_ms": self.read_ms,
            "device.mb_s": self.mb_s,
            "device.temp_write_ms": self.own_temp_write_ms or 0.0,
            "device.undo_write_ms": self.own_undo_write_ms or 0.0,
            "device.undo_read_ms": self.own_undo_read_ms or 0.0,
        }

    def to_dict(self) -> dict[str, str | float]:
        """Plain data: a latency for every kind of I/O."""
        return {
            "name": self.name, "title": self.title, "write_ms": self.write_ms,
            "read_ms": self.read_ms, "temp_write_ms": self.temp_write_ms,
            "undo_read_ms": self.undo_read_ms, "undo_write_ms": self.undo_write_ms,
            "mb_s": self.mb_s, "source": self.source,
        }  # fmt: skip


class Speed(NamedTuple):
    """A device: ms of a small write and of a small read, and MB/s; None: size takes no time."""

    write_ms: float
    read_ms: float
    mb_s: float | None

    def write(self, size_bytes: float | None) -> float:
        """A write of this size, in ms; a small write if the size is not known."""
        return self.write_ms + self._size(size_bytes)

    def read(self, size_bytes: float | None) -> float:
        """A read of this size, in ms."""
        return self.read_ms + self._size(size_bytes)

    def _size(self, size_bytes: float | None) -> float:
        return (size_bytes or 0.0) * 1000 / (self.mb_s * 10**6) if self.mb_s else 0.0


_ALL: Final = (
    Device(
        "flash-array", "all-flash array, typical today", 0.3, 0.3,
        "awrlens: over a SAN, small writes to the array's cache and reads from flash take 0.2 to "
        "0.5 ms; 1 GB/s is one path",
    ),
    Device(
        "accelerator", "RAM-based accelerator", 0.104, 0.1,
        "Write Accelerator: redo write figure 5 (55,447 cs / 5,313,254 writes); temp read 0.1 ms "
        "and temp write 1.74 ms figure 9 (files at 1.71 and 1.75 ms, weighted by writes); figure "
        "19 has no write time for undo: as a redo write",
        own_temp_write_ms=1.744,
    ),
    Device(
        "disk-array", "24 disks of 10,000 rpm with ASM (2008)", 18.68, 2.1,
        "Write Accelerator: redo write figure 4 (757,698 cs / 405,691 writes); temp read 2.1 ms "
        "and temp write 7.56 ms figure 8 (files at 7.36 to 7.78 ms, weighted by writes); undo "
        "read 28.6 ms figure 16, undo write 37.9 ms figure 17; 200 MB/s: awrlens",
        200.0, own_temp_write_ms=7.563, own_undo_write_ms=37.923, own_undo_read_ms=28.6,
    ),
    Device(
        "san-flash", "all-flash array over a SAN", 0.75, 0.75,
        "Dell EMC reference architecture for XtremIO X2: frequently 0.75 ms or less; 1 ms is the "
        "usual standard",
    ),
    Device(
        "nvme", "NVMe devices in the server", 0.1, 0.1,
        "Pure Storage, What is NVMe: NVMe SSDs answer in 20 to 100 us",
    ),
    Device(
        "exadata-flash", "Exadata smart flash cache and flash log", 0.2, 0.2,
        "Oracle, Exadata Persistent Memory Accelerator: 8 KB reads took 200 us from flash",
    ),
    Device(
        "exadata-rdma", "Exadata memory over RDMA (X8M and later)", 0.025, 0.019,
        "Oracle, Exadata Persistent Memory Accelerator: 8 KB reads below 19 us, log writes up to "
        "8 times as fast as 200 us from flash; temporary and undo writes go to flash: 200 us",
        own_temp_write_ms=0.2, own_undo_write_ms=0.2,
    ),
    Device(
        "aws-gp3", "AWS EBS gp3", 1.0, 1.0,
        "AWS, EBS volume types: single-digit milliseconds; 1 ms is the minimum",
    ),
    Device(
        "aws-io2", "AWS EBS io2 Block Express", 0.5, 0.5,
        "AWS, EBS volume types: on average below 500 us for 16 KiB",
    ),
    Device(
        "azure-premium-v2", "Azure Premium SSD v2", 1.0, 1.0,
        "Microsoft, Azure managed disk types: below a millisecond",
    ),
)  # fmt: skip
#: Devices by name; the first is the default.
DEVICES: Final[Mapping[str, Device]] = {device.name: device for device in _ALL}
DEFAULT: Final = _ALL[0]

DEVICE_WRITE_MS: Final = Threshold(
    "device.write_ms", DEFAULT.write_ms, "ms",
    "time of a small redo write on the low-latency device (see `awrlens devices`)",
    DEFAULT.source,
)  # fmt: skip
DEVICE_READ_MS: Final = Threshold(
    "device.read_ms", DEFAULT.read_ms, "ms",
    "time of a small read on the low-latency device (see `awrlens devices`)",
    DEFAULT.source,
)  # fmt: skip
_AS_PRINTED: Final = "the source of the device (see `awrlens devices`)"
DEVICE_TEMP_WRITE_MS: Final = Threshold(
    "device.temp_write_ms", 0.0, "ms",
    "time of a small temporary write on the low-latency device; 0: as device.write_ms",
    _AS_PRINTED,
)  # fmt: skip
DEVICE_UNDO_WRITE_MS: Final = Threshold(
    "device.undo_write_ms", 0.0, "ms",
    "time of a small undo write on the low-latency device; 0: as device.write_ms",
    _AS_PRINTED,
)  # fmt: skip
DEVICE_UNDO_READ_MS: Final = Threshold(
    "device.undo_read_ms", 0.0, "ms",
    "time of a small undo read on the low-latency device; 0: as device.read_ms",
    _AS_PRINTED,
)  # fmt: skip
DEVICE_MB_S: Final = Threshold(
    "device.mb_s", DEFAULT.mb_s, "MB/s",
    "throughput of the low-latency device, for the share of an operation's time due to its size",
    DEFAULT.source,
)  # fmt: skip
THRESHOLDS: Final = (
    DEVICE_WRITE_MS, DEVICE_READ_MS, DEVICE_TEMP_WRITE_MS, DEVICE_UNDO_WRITE_MS,
    DEVICE_UNDO_READ_MS, DEVICE_MB_S,
)  # fmt: skip
#: The thresholds for writes and reads of each segment; 0: those of redo.
_SPEEDS: Final = {
    "redo": (DEVICE_WRITE_MS, DEVICE_READ_MS),
    "temp": (DEVICE_TEMP_WRITE_MS, DEVICE_READ_MS),
    "undo": (DEVICE_UNDO_WRITE_MS, DEVICE_UNDO_READ_MS),
}


def speed(policy: Policy, segment: str) -> Speed:
    """The low-latency device in force, for redo, temp or undo."""
    write, read = _SPEEDS[segment]
    return Speed(
        policy[write] or policy[DEVICE_WRITE_MS], policy[read] or policy[DEVICE_READ_MS],
        policy[DEVICE_MB_S],
    )  # fmt: skip


def find(text: str) -> Device:
    """A device by its name or by latency: ``0.2ms`` for both, ``0.2ms/0.5ms`` write and read.

    Raises UsageError, with the nearest name, if it is neither.
    """
    known = DEVICES.get(text.strip().lower())
    if known is not None:
        return known
    parts = [parse_number(part, "ms") for part in text.split("/")]
    numbers = [part for part in parts if part is not None and part > 0]
    if numbers and len(numbers) == len(parts) <= 2:  # noqa: PLR2004 - write and read
        write, read = float(numbers[0]), float(numbers[-1])
        return Device("custom", f"a device of {text.strip()}", write, read, "as given")
    rest = "Use a name from `awrlens devices` or a latency such as 0.2ms."
    raise UsageError(f"Unknown device {text!r}.", hint=nearest.hint(text, DEVICES, rest))
