"""How the rows of scripts/bench are measured: ours (A) and the peer (B) in turn, so that a machine that grows slower
meets both alike; medians count."""
import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Bench:
    """What a row gets: the programs of a build, and a folder for what the rows make."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def program(self, name):
        return self.build / name if name == "headscope" else self.build / "tests/bench" / name


def row(name, unit, ours, peer, compared_with, goal):
    ratio = ours / peer
    return {"name": name, "value": ours, "unit": unit, "compared with": compared_with, "ratio": ratio,
            "goal": f"<= {goal:.3g}", "met": ratio <= goal}


def medians_in_turn(measure_a, measure_b, rounds):
    measure_a(), measure_b()  # the first time reads files from the disk
    samples = [(measure_a(), measure_b()) for _ in range(rounds)]
    return tuple(statistics.median(column) for column in zip(*samples))


def seconds(*command, environment=None):
    """From the start of a process to its end; what it prints is dropped."""
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def google_benchmark(*command, repetitions=9, min_time=0.2):
    """Medians in milliseconds by name; the benchmarks of the program run in turn."""
    output = subprocess.run(
        [*command, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
         "--benchmark_enable_random_interleaving=true", f"--benchmark_min_time={min_time}"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    entries = json.loads(output)["benchmarks"]
    for entry in entries:
        if entry.get("error_occurred"):
            sys.exit(f"{entry['name']}: {entry['error_message']}")
    return {entry["run_name"].removesuffix("/real_time"): entry["real_time"] for entry in entries
            if entry.get("aggregate_name") == "median"}
