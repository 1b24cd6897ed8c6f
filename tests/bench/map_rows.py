"""Rows of a map of 32,768 tokens: made of one head's q, k and lse, two threads."""
import os
import subprocess

from measure import google_benchmark, row

TOKENS, HEAD_SIZE, SIDE = 32768, 64, 4096  # as in long_head.h and overview_bench.cpp
TWO_THREADS = {**os.environ, "OMP_NUM_THREADS": "2"}


def medians_of(bench, *names):
    return google_benchmark(bench.program("overview_bench"), f"--benchmark_filter=^({'|'.join(names)})/",
                            environment=TWO_THREADS)


def overview(bench):
    """The exact overview of a causal head beside a matrix product (4096^3) that does as many operations."""
    medians = medians_of(bench, "overview", "product")
    visible = TOKENS * (TOKENS + 1) // 2
    as_product = medians["product"] * visible * 2 * HEAD_SIZE / (2 * SIDE**3)
    return row("overview", "ms", medians["overview"], as_product,
               f"sgemm at its rate for 4096^3, {as_product:.0f} ms", 1 / 0.6)


def overview_memory(bench):
    """What it adds, at its peak, to what a fresh process holds with the capture."""
    output = subprocess.run([bench.program("overview_memory")], check=True, env=TWO_THREADS,
                            stdout=subprocess.PIPE).stdout
    return row("overview_memory", "MiB", int(output) / 2**20, 64, "the goal, 64 MiB", 1)


def viewport(bench):
    """1200 x 900 cells of the map beside the bare matrix product and exponential of as many."""
    medians = medians_of(bench, "viewport", "bare_cells")
    return row("viewport", "ms", medians["viewport"], medians["bare_cells"],
               f"bare sgemm and exp of the cells, {medians['bare_cells']:.1f} ms", 3)
