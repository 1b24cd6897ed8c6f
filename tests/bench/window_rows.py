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


def frames(bench, name, tokens):
    """The 99th percentile of 400 frames of a map on 1200 x 900 pixels, in the slowest colour scale, beside drawing a
    ready image of that size."""
    times = google_benchmark(bench.program("frame_bench"), f"--benchmark_filter=readyImage|{name}/{tokens}/",
                             repetitions=3)
    ready = [time for key, time in times.items() if key.startswith("readyImage")]
    ours = max(time for key, time in times.items() if key.startswith(f"{name}/{tokens}/"))
    return row(f"{name}_{tokens}", "ms", ours, ready[0], f"a ready image, {ready[0]:.2f} ms", 3)
