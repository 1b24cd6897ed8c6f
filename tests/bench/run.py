"""Measures Headscope beside its peers and prints a row for each comparison. scripts/bench builds and calls it.

usage: run.py BUILD_FOLDER [--json FILE] [NAME...]

Ours (A) and the peer (B) run in turn, so that a machine that grows slower meets both alike; medians count.
A row: name, value, unit, compared with, ratio (value / the peer's value), goal (for the ratio), met.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def medians_in_turn(measure_a, measure_b, rounds):
    measure_a(), measure_b()  # the first time reads files from the disk
    samples = [(measure_a(), measure_b()) for _ in range(rounds)]
    return tuple(statistics.median(column) for column in zip(*samples))


def row(name, unit, ours, peer, compared_with, goal):
    ratio = ours / peer
    return {"name": name, "value": ours, "unit": unit, "compared with": compared_with, "ratio": ratio,
            "goal": f"<= {goal}", "met": ratio <= goal}


def start(build):
    """From the start of the process to the picture of its first painted window in a file."""
    with tempfile.TemporaryDirectory() as folder:
        # Settings of their own: no remembered window or model.
        environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "XDG_CONFIG_HOME": folder, "XDG_RUNTIME_DIR": folder}
        picture = pathlib.Path(folder, "picture.png")

        def seconds(*command):
            picture.unlink(missing_ok=True)
            begin = time.perf_counter()
            subprocess.run([*command, str(picture)], env=environment, check=True, stdout=subprocess.DEVNULL)
            elapsed = time.perf_counter() - begin
            if not picture.stat().st_size:
                sys.exit(f"{command[0]} drew nothing")
            return elapsed

        ours, peer = medians_in_turn(lambda: seconds(build / "headscope", "--screenshot"),
                                     lambda: seconds(build / "tests/bench/bare_window"), rounds=7)
    return row("start", "s", ours, peer, f"a bare LibTorch + Qt window, {peer:.2f} s", 2)


def capture(build):
    """A run of the bundled model at its full context of 256 tokens, every head kept."""
    output = subprocess.run(
        [build / "tests/bench/capture_bench", "--benchmark_format=json", "--benchmark_repetitions=9",
         "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.2"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    medians = {entry["run_name"].split("/")[0]: entry["real_time"]
               for entry in json.loads(output)["benchmarks"] if entry.get("aggregate_name") == "median"}
    ours, peer = medians["headscope"], medians["nanogpt"]
    return row("capture", "ms", ours, peer, f"nanoGPT's lines in eager LibTorch, {peer:.1f} ms", 1.25)


def frame(build):
    """A frame of a 1024 x 1024 map while it is zoomed, in the slowest of the colour scales."""
    output = subprocess.run(
        [build / "tests/bench/frame_bench", "--benchmark_format=json", "--benchmark_repetitions=9",
         "--benchmark_min_time=0.2"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    ours = max(entry["real_time"] for entry in json.loads(output)["benchmarks"]
               if entry.get("aggregate_name") == "median")
    return row("frame", "ms", ours, 33, "33 ms, a frame at 30 a second", 1)


ROWS = {"start": start, "capture": capture, "frame": frame}


def print_table(rows):
    columns = ["name", "value", "unit", "compared with", "ratio", "goal", "met"]
    text = [columns] + [
        [f"{entry[key]:.3g}" if isinstance(entry[key], float) else {True: "yes", False: "NO"}.get(entry[key], entry[key])
         for key in columns] for entry in rows]
    widths = [max(map(len, column)) for column in zip(*text)]
    for line in text:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures Headscope beside its peers.")
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="write the rows to FILE too")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"rows to measure, of: {', '.join(ROWS)} (default: all)")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in ROWS:
            parser.error(f"there is no row {name}; there are {', '.join(ROWS)}")
    rows = [ROWS[name](arguments.build) for name in arguments.names or ROWS]
    print_table(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(0 if all(entry["met"] for entry in rows) else 1)


if __name__ == "__main__":
    main()
