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


def row_between(name, unit, ours, peer, compared_with, low, high):
    """For what should be the same on both sides."""
    ratio = ours / peer
    return {"name": name, "value": ours, "unit": unit, "compared with": compared_with, "ratio": ratio,
            "goal": f"{low:.3g} - {high:.3g}", "met": low <= ratio <= high}


def medians_in_turn(measure_a, measure_b, rounds):
    measure_a(), measure_b()  # the first time reads files from the disk
    samples = [(measure_a(), measure_b()) for _ in range(rounds)]
    return tuple(statistics.median(column) for column in zip(*samples))


def seconds(*command, environment=None):
    """From the start of a process to its end; what it prints is dropped."""
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


class Asked:
    """A process that measures when it is asked: a word into it, a line of JSON out of it. For what takes long to set up,
    and for two processes in turn."""

    def __init__(self, *command, environment=None):
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()  # the end of its input is the end of the process
        self.process.wait()

    def ask(self, word):
        print(word, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.process.args[0]} ended without an answer to {word}")
        return json.loads(answer)


def google_benchmark(*command, repetitions=9, min_time=0.2, environment=None):
    """Medians in milliseconds by name; the benchmarks of the program run in turn."""
    output = subprocess.run(
        [*command, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
         "--benchmark_enable_random_interleaving=true", f"--benchmark_min_time={min_time}"],
        check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    entries = json.loads(output)["benchmarks"]
    for entry in entries:
        if entry.get("error_occurred"):
            sys.exit(f"{entry['name']}: {entry['error_message']}")
    return {entry["run_name"].removesuffix("/real_time"): entry["real_time"] for entry in entries
            if entry.get("aggregate_name") == "median"}
