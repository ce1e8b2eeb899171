"""Latencies of kinds of storage, to estimate what a move to them would save.

The figures are those of the vendor or the cited document for small I/O; measure your own storage.
Where a source says "below", the bound itself is used, so that savings are not overstated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens import nearest
from awrlens.errors import UsageError
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Mapping


#: Throughput of a device whose source does not state it.
USUAL_MB_S: Final = 1000.0


class Device(NamedTuple):
    """A kind of storage: ms for a small redo write and for a read of a few blocks, and MB/s.

    An operation takes the latency plus its size divided by the throughput.
    """

    name: str
    title: str
    write_ms: float
    read_ms: float
    source: str
    mb_s: float = USUAL_MB_S

    @property
    def settings(self) -> dict[str, float]:
        """The thresholds that describe it."""
        return {
            "device.write_ms": self.write_ms,
            "device.read_ms": self.read_ms,
            "device.mb_s": self.mb_s,
        }


_ALL: Final = (
    Device(
        "flash-array", "all-flash array, typical today", 0.3, 0.3,
        "awrlens: over a SAN, small writes to the array's cache and reads from flash take 0.2 to "
        "0.5 ms; 1 GB/s is one path",
    ),
    Device(
        "accelerator", "RAM-based accelerator", 0.104, 0.1,
        "Write Accelerator, figure 5 (55,447 cs / 5,313,254 redo writes) and figure 9 (TEMP, Av Rd "
        "0.1 ms)",
    ),
    Device(
        "disk-array", "disk array with a write cache", 1.0, 2.1,
        "Write Accelerator, text on figure 2 (1 ms per redo write by LGWR's counter) and figure 8 "
        "(TEMP, Av Rd 2.1 ms); 200 MB/s: awrlens",
        200.0,
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
        "8 times as fast as 200 us from flash",
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
