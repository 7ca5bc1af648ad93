from __future__ import annotations

import sys

import pytest
from edgemem_models.progress import Meter, Progress


def test_pip_bundled_with_python_is_found() -> None:
    from edgemem_models.pip_tool import _bundled_wheel, _version

    wheel = _bundled_wheel()
    if wheel is None:
        pytest.skip("this Python comes without a bundled pip")
    assert _version((sys.executable, str(wheel / "pip"))) is not None


def test_the_meter_measures_speed_and_time_left() -> None:
    times = iter([0.0, 1.0, 2.0])
    seen: list[Progress] = []
    meter = Meter("m", seen.append, clock=lambda: next(times))
    meter.begin("downloading", 400, 100)
    meter.at(200)
    meter.at(300)
    assert (seen[-1].speed, seen[-1].eta) == (100.0, 1.0)
