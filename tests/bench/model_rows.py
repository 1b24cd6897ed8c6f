"""Rows of a model: opening its file, what that takes of memory, the first numbers, a run.

The files are of GPT-2's smallest size, 124M weights, with random numbers in them (models.py), and in the page cache.
"""
import json
import subprocess
import sys

import numpy

import models
import peers
from measure import google_benchmark, medians_in_turn, row, seconds

TOKENS = [464, 3797, 3332, 319, 262, 2603, 13, 383, 3797, 3332, 319, 262, 2603, 13, 383, 3797]  # 16


def capture(bench):
    """A run of the bundled model at its full context of 256 tokens, every head kept."""
    medians = google_benchmark(bench.program("capture_bench"))
    ours, peer = medians["headscope"], medians["nanogpt"]
    return row("capture", "ms", ours, peer, f"nanoGPT's lines in eager LibTorch, {peer:.1f} ms", 1.25)


def open_in_turn(bench, ours, peer):
    """Each an action of load_bench (open or read) and a path."""
    medians = google_benchmark(bench.program("load_bench"), *ours, *peer, repetitions=7, min_time=0.05)
    return medians["ours"], medians["peer"]


def load(bench):
    """A safetensors folder from its path to a model that is ready to run."""
    folder = models.gpt2_folder(bench.folder, "F32")
    ours, peer = open_in_turn(bench, ("open", folder), ("read", folder / "model.safetensors"))
    return row("load", "ms", ours, peer, f"reading the file's bytes into a fresh buffer, {peer:.0f} ms", 1.5)


def optimizer(bench):
    """nanoGPT's ckpt.pt with the state of AdamW, three times the bytes, costs those of the model alone."""
    plain, trained = (models.nanogpt_checkpoint(bench.folder, kind) for kind in ("model", "optimizer"))
    info = json.loads(subprocess.run([bench.program("headscope"), "info", "--json", trained], check=True,
                                     stdout=subprocess.PIPE).stdout)
    if info["bytes_read"] != models.WEIGHTS * 4:
        sys.exit(f"{trained}: {info['bytes_read']} bytes read of a model of {models.WEIGHTS * 4}")
    ours, peer = open_in_turn(bench, ("open", trained), ("open", plain))
    return row("optimizer", "ms", ours, peer, f"opening the same without the optimizer, {peer:.0f} ms", 1.25)


def first_logits(bench):
    """From the start of the process to the logits after a prompt of 16 tokens."""
    folder, run = models.gpt2_folder(bench.folder, "F32"), bench.folder / "run.npz"
    ours_command = [bench.program("headscope"), "capture", folder, "--tokens", ",".join(map(str, TOKENS)),
                    "--logits", "last", "-o", run, "--force"]
    peer_command, environment = peers.command("first_logits_peer.py", folder, *map(str, TOKENS))
    peer_logits = numpy.frombuffer(
        subprocess.run(peer_command, env=environment, check=True, stdout=subprocess.PIPE).stdout, numpy.float32)
    seconds(*ours_command)
    worst = abs(numpy.load(run)["logits"] - peer_logits).max()
    if not worst < 1e-3 * numpy.ptp(peer_logits):
        sys.exit(f"first_logits: the two programs do not compute the same: they differ by {worst}")
    ours, peer = medians_in_turn(lambda: seconds(*ours_command),
                                 lambda: seconds(*peer_command, environment=environment), rounds=5)
    return row("first_logits", "s", ours, peer, f"Python with transformers, eager, {peer:.2f} s", 1 / 3)


def open_memory(bench, name, dtype):
    """How far opening raises the largest resident size that the process had with nothing open."""
    folder = models.gpt2_folder(bench.folder, dtype)
    output = subprocess.run([bench.program("open_memory"), folder], check=True, stdout=subprocess.PIPE).stdout
    allowed = models.WEIGHTS * 4 / 1e6 + 150
    return row(name, "MB", int(output) / 1e6, allowed, f"fp32 weights + 150 MB, {allowed:.0f} MB", 1)
