"""Rows of the measurement itself: whether `headscope bench` reports what others measure, and what its harness costs."""
import json
import os
import subprocess

import peers
from measure import Asked, google_benchmark, medians_in_turn, row, row_between

TOKENS, HEADS, HEAD_SIZE = 1024, 12, 64
RUNS = 23  # of harness_bench: a cold one, two to warm up, twenty that count
TWO_THREADS = {"OMP_NUM_THREADS": "2"}


def reported_seconds(bench, kernel):
    """The median that the program reports."""
    output = subprocess.run(
        [bench.program("headscope"), "bench", "--shape", f"1,{HEADS},{HEADS},{TOKENS},{HEAD_SIZE}", "--kernels", kernel,
         "--json"], env={**os.environ, **TWO_THREADS}, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(output)["rows"][0]["median_seconds"]


def agrees(bench, name, kernel):
    """What `headscope bench` reports at T = 1024 beside a Python script that times the same itself."""
    command, environment = peers.command("attention_peer.py", *map(str, (TOKENS, HEADS, HEAD_SIZE)))
    with Asked(*command, environment={**environment, **TWO_THREADS}) as script:
        ours, peer = medians_in_turn(lambda: 1e3 * reported_seconds(bench, kernel),
                                     lambda: 1e3 * script.ask(kernel)["seconds"], rounds=7)
    return row_between(name, "ms", ours, peer, f"a Python script's own clock, {peer:.2f} ms", 0.8, 1.25)


def harness(bench):
    """Runs through the measurement beside a bare loop that may take 2 % or 20 us a run more; the worse of two sizes."""
    medians = google_benchmark(bench.program("harness_bench"))
    bare = {size: medians[f"bare/{size}"] for size in (16, 512)}
    allowed = {size: max(1.02 * bare[size], bare[size] + RUNS * 0.020) for size in bare}
    worst = max(bare, key=lambda size: medians[f"harness/{size}"] / allowed[size])
    return row("harness", "ms", medians[f"harness/{worst}"], allowed[worst],
               f"the bare loop's {bare[worst]:.3g} ms + 2 % or 20 us a run, T = {worst}", 1)
