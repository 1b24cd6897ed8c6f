"""Measures Headscope beside its peers and prints a row for each comparison. scripts/bench builds and calls it.

usage: run.py BUILD_FOLDER [--json FILE] [NAME...]

A row: name, value, unit, compared with, ratio (value / the peer's value), goal (for the ratio), met.
"""
import argparse
import functools
import inspect
import json
import pathlib
import sys
import tempfile

import forward_rows
import map_rows
import model_rows
import timing_rows
import window_rows
from measure import Bench

ROWS = {
    "start": window_rows.start,
    "pan_1024": functools.partial(window_rows.frames, name="pan", tokens=1024),
    "pan_32768": functools.partial(window_rows.frames, name="pan", tokens=32768),
    "zoom_1024": functools.partial(window_rows.frames, name="zoom", tokens=1024),
    "zoom_32768": functools.partial(window_rows.frames, name="zoom", tokens=32768),
    "capture": model_rows.capture,
    "load": model_rows.load,
    "optimizer": model_rows.optimizer,
    "first_logits": model_rows.first_logits,
    "open_memory": functools.partial(model_rows.open_memory, name="open_memory", dtype="F32"),
    "open_memory_bf16": functools.partial(model_rows.open_memory, name="open_memory_bf16", dtype="BF16"),
    "forward_1024": functools.partial(forward_rows.forward, tokens=1024),
    "forward_4096": functools.partial(forward_rows.forward, tokens=4096),
    "eager_1024": functools.partial(forward_rows.eager, tokens=1024, times_faster=1.5),
    "eager_4096": functools.partial(forward_rows.eager, tokens=4096, times_faster=3.8),
    "run_memory_1024": functools.partial(forward_rows.run_memory, tokens=1024, allowed=230),
    "run_memory_4096": functools.partial(forward_rows.run_memory, tokens=4096, allowed=900),
    "manual": forward_rows.manual,
    "window": forward_rows.window,
    "overview": map_rows.overview,
    "overview_memory": map_rows.overview_memory,
    "viewport": map_rows.viewport,
    "timing_manual": functools.partial(timing_rows.agrees, name="timing_manual", kernel="nanogpt"),
    "timing_flash": functools.partial(timing_rows.agrees, name="timing_flash", kernel="flash"),
    "harness": timing_rows.harness,
}


def described_rows():
    """For --help: each row with its function's docstring, rows of one function under one."""
    text, last = ["rows:"], None
    for name, measure in ROWS.items():
        function = getattr(measure, "func", measure)
        text.append(f"  {name:<18}{'as above' if function is last else inspect.getdoc(function)}")
        last = function
    return "\n".join(text)


def print_table(rows):
    columns = ["name", "value", "unit", "compared with", "ratio", "goal", "met"]
    text = [columns] + [
        [f"{entry[key]:.3g}" if isinstance(entry[key], float) else {True: "yes", False: "NO"}.get(entry[key], entry[key])
         for key in columns] for entry in rows]
    widths = [max(map(len, column)) for column in zip(*text)]
    for line in text:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Measures Headscope beside its peers. Ends with 1 when a goal is not met.",
        epilog=described_rows(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="write the rows to FILE too")
    parser.add_argument("names", metavar="NAME", nargs="*", help="rows to measure (default: all)")
    arguments = parser.parse_intermixed_args()  # parse_args() finds no NAME after --json FILE
    for name in arguments.names:
        if name not in ROWS:
            parser.error(f"there is no row {name}; there are {', '.join(ROWS)}")
    with tempfile.TemporaryDirectory(prefix="headscope-bench-") as folder:
        bench = Bench(arguments.build, pathlib.Path(folder))
        rows = [ROWS[name](bench) for name in arguments.names or ROWS]
    print_table(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(0 if all(entry["met"] for entry in rows) else 1)


if __name__ == "__main__":
    main()
