"""Rows of what a person sees: the window's start and a frame of the map."""
import os
import pathlib
import sys
import tempfile

from measure import google_benchmark, medians_in_turn, row, seconds


def start(bench):
    """From the start of the process to the picture of its first painted window in a file."""
    with tempfile.TemporaryDirectory() as folder:
        # Settings of their own: no remembered window or model.
        environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "XDG_CONFIG_HOME": folder, "XDG_RUNTIME_DIR": folder}
        picture = pathlib.Path(folder, "picture.png")

        def draw(*command):
            picture.unlink(missing_ok=True)
            elapsed = seconds(*command, picture, environment=environment)
            if not picture.stat().st_size:
                sys.exit(f"{command[0]} drew nothing")
            return elapsed

        ours, peer = medians_in_turn(lambda: draw(bench.program("headscope"), "--screenshot"),
                                     lambda: draw(bench.program("bare_window")), rounds=7)
    return row("start", "s", ours, peer, f"a bare LibTorch + Qt window, {peer:.2f} s", 2)


def frame(bench):
    """A frame of a 1024 x 1024 map while it is zoomed, in the slowest of the colour scales."""
    ours = max(google_benchmark(bench.program("frame_bench")).values())
    return row("frame", "ms", ours, 33, "33 ms, a frame at 30 a second", 1)
