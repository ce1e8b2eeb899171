"""Thresholds: defaults, a file, the environment, the command line, in that order of weight."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from awrlens import config
from awrlens.advice import devices
from awrlens.advice.devices import THRESHOLDS, speed
from awrlens.cli import run
from awrlens.config import Options, choices
from awrlens.config.file import read
from awrlens.errors import UsageError
from awrlens.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = Path(__file__).parent.parent / "sample_reports" / "redo-disk.awr-11.2.txt"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Writes an awrlens.toml and gives a report beside it."""
    for name in config.ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)

    def write(text: str, name: str = config.FILE) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        reports = tmp_path / "reports"
        reports.mkdir(exist_ok=True)
        (reports / "one.txt").write_bytes(SAMPLE.read_bytes())
        config._load.cache_clear()
        return reports / "one.txt"

    return write


def test_without_anything_every_threshold_has_its_default(folder: Callable[[str], Path]) -> None:
    report = folder("")

    policy = config.load(str(report)).policy

    assert Policy()["redo.slow_write_ms"] == policy["redo.slow_write_ms"]
    assert "default" == policy.origin("redo.slow_write_ms")


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("awrlens.toml", "[thresholds]\nredo.slow_write_ms = 5\n", 2),
        ("awrlens.toml", '[thresholds]\n"redo.slow_write_ms" = "5 ms"\n', 2),
        ("awrlens.toml", "[thresholds.redo]\n\nslow_write_ms = 5.0\n", 3),
        ("awrlens.toml", 'thresholds = { redo.slow_write_ms = "5000us" }\n', 1),
        ("pyproject.toml", "[tool.awrlens.thresholds]\nredo.slow_write_ms = 5\n", 2),
    ],
)
def test_a_file_above_the_report_sets_a_threshold_in_any_spelling(
    folder: Callable[..., Path], name: str, text: str, line: int
) -> None:
    report = folder(text, name)

    policy = config.load(str(report)).policy

    assert 5.0 == policy["redo.slow_write_ms"]
    assert f"{name}:{line}" == policy.origin("redo.slow_write_ms")


def test_a_project_file_without_our_table_is_passed_by(folder: Callable[..., Path]) -> None:
    report = folder('[project]\nname = "other"\n', "pyproject.toml")

    assert config.load(str(report)).file is None or "other" not in str(config.load(str(report)))


def test_the_command_line_weighs_more_than_the_environment_and_that_more_than_the_file(
    folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = folder('device = "nvme"\n[thresholds]\nredo.slow_write_ms = 5\n')
    monkeypatch.setenv("AWRLENS_SET", "redo.slow_write_ms=6")

    by_environment = config.load(str(report)).policy
    by_option = config.load(str(report), Options(settings=("redo.slow_write_ms=7",))).policy

    assert (6.0, "AWRLENS_SET") == (
        by_environment["redo.slow_write_ms"],
        by_environment.origin("redo.slow_write_ms"),
    )
    assert (7.0, "--set") == (
        by_option["redo.slow_write_ms"],
        by_option.origin("redo.slow_write_ms"),
    )
    assert devices.DEVICES["nvme"].write_ms == by_option[THRESHOLDS["write_ms"]]


def test_an_empty_variable_turns_the_file_off(
    folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = folder("[thresholds]\nredo.slow_write_ms = 5\n")
    monkeypatch.setenv("AWRLENS_CONFIG", "")

    assert config.load(str(report)).file is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[thresholds]\nredo.slow_write = 5\n", ":2: There is no threshold 'redo.slow_write'."),
        ("[thresholds]\nredo.slow_write = 5\n", "Did you mean redo.slow_write_ms?"),
        ("\n[threshold]\n", ":2: Unknown key 'threshold'. Did you mean thresholds?"),
        ('[thresholds]\nredo.slow_write_ms = "soon"\n', ":2: Invalid value 'soon' for redo.slow_w"),
        ("[thresholds]\nredo.slow_write_ms = -1\n", ":2: Invalid value '-1'"),
        ('[thresholds]\nredo.slow_write_ms = "5 GB"\n', "use a number of at least 0 in ms."),
        ('device = "nvm"\n', ":1: Unknown device 'nvm'. Did you mean nvme?"),
        ("thresholds = 3\n", ":1: thresholds must be a table."),
        ("[thresholds\n", ":1: This is not valid TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_said_with_its_line_and_the_nearest_name(
    folder: Callable[[str], Path], text: str, says: str
) -> None:
    report = folder(text)

    with pytest.raises(UsageError) as caught:
        config.load(str(report))

    assert says in str(caught.value)


def test_the_template_is_in_order_and_sets_nothing(tmp_path: Path) -> None:
    file = tmp_path / config.FILE
    file.write_text(config.template(), encoding="utf-8")
    # all that is commented out, but the profile, which would set thresholds, and its baseline
    every = "\n".join(
        line.removeprefix("# ")
        if (" = " in line or line.startswith("# [")) and "profile =" not in line
        else line
        for line in config.template().splitlines()
    )

    assert "default" == read(file).policy.origin("redo.slow_write_ms")
    file.write_text(every, encoding="utf-8")
    policy = read(file).policy
    assert all(policy[each] == each.default for each in choices.all_thresholds().values())
    assert all(config.FILE in policy.origin(each) for each in choices.all_thresholds())


def test_config_show_prints_every_threshold_with_its_origin(
    folder: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    report = folder("[thresholds]\nredo.slow_write_ms = 5\n")

    assert 0 == run(["config", "show", str(report), "--set", "temp.slow_read_ms=3ms", "-f", "json"])
    shown = {each["name"]: each for each in json.loads(capsys.readouterr().out)["thresholds"]}

    assert set(choices.all_thresholds()) == set(shown)
    assert (5.0, "awrlens.toml:2") == (
        shown["redo.slow_write_ms"]["value"],
        shown["redo.slow_write_ms"]["origin"],
    )
    assert "--set" == shown["temp.slow_read_ms"]["origin"]
    assert "default" == shown["redo.quick_write_ms"]["origin"]


def test_a_threshold_in_a_file_changes_the_verdict_of_the_report_beside_it(
    folder: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    report = folder("[thresholds]\nredo.slow_write_ms = 25\n")

    run(["analyze", str(report), "-f", "json"])
    with_file = [each["id"] for each in json.loads(capsys.readouterr().out)["findings"]]
    run(["analyze", str(SAMPLE), "-f", "json"])
    without = [each["id"] for each in json.loads(capsys.readouterr().out)["findings"]]

    assert "REDO001" in without
    assert "REDO001" not in with_file


@pytest.mark.parametrize(
    ("text", "write_ms", "read_ms"),
    [("nvme", 0.1, 0.1), ("0.2ms", 0.2, 0.2), ("200us/1ms", 0.2, 1.0), ("3", 3.0, 3.0)],
)
def test_a_device_is_named_or_given_by_its_latency(
    text: str, write_ms: float, read_ms: float
) -> None:
    policy = config.load("-", Options(device=text)).policy

    assert (write_ms, read_ms) == (policy[THRESHOLDS["write_ms"]], policy[THRESHOLDS["read_ms"]])
    assert f"--device {text}" == policy.origin("device.write_ms")


@pytest.mark.parametrize("text", ["", "fast", "0ms", "1ms/2ms/3ms", "2 GB", "-1ms"])
def test_what_is_no_device_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        devices.find(text)


def test_every_device_has_a_source_and_the_default_is_a_flash_array() -> None:
    assert "flash-array" == devices.DEFAULT.name
    assert (0.3, 0.3, 1000) == (*devices.DEFAULT[2:4], devices.DEFAULT.mb_s)
    accelerator = devices.DEVICES["accelerator"]
    assert "Write Accelerator" in accelerator.source
    assert 0.104 == accelerator.write_ms == round(55_447 * 10 / 5_313_254, 3)
    for device in devices.DEVICES.values():
        assert device.source
        assert 0 < device.read_ms < 10
        assert device.mb_s > 0


def test_the_devices_of_document_3_take_what_its_figures_print_for_each_kind_of_io() -> None:
    fast, disks = (devices.DEVICES[name].to_dict() for name in ("accelerator", "disk-array"))
    # the files of figures 9 and 8, weighted by their writes
    nine = (98_681 * 1.75 + 16_376 * 1.71) / 115_057
    eight = (27_691 * 7.78 + 23_282 * 7.54 + 26_788 * 7.36) / 77_761

    assert (fast["read_ms"], disks["read_ms"]) == (0.1, 2.1)
    assert fast["temp_write_ms"] == pytest.approx(nine, abs=0.001)
    assert disks["temp_write_ms"] == pytest.approx(eight, abs=0.001)
    assert disks["write_ms"] == round(757_698 * 10 / 405_691, 2)  # figure 4
    assert (disks["undo_read_ms"], disks["undo_write_ms"]) == (28.6, 37.923)  # figures 16 and 17


def test_a_latency_for_one_kind_of_io_follows_the_device_until_it_is_set(
    folder: Callable[..., Path],
) -> None:
    report = folder('device = "accelerator"\n[thresholds]\ndevice.write_ms = 0.5\n')
    policy = config.load(str(report)).policy

    assert speed(policy, "temp").write_ms == 1.744  # figure 9
    assert speed(policy, "undo").write_ms == 0.5  # as a redo write
