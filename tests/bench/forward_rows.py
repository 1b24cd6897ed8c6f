"""Rows of long prompts, and of attention alone: what it costs to keep everything, beside a pass that keeps nothing and
beside Python.

The model is of GPT-2's smallest size with a context of 4096 and random weights. Every side computes the logits of the last
position only, with two threads.
"""
import functools
import os
import subprocess
import sys

import numpy

import models
import peers
from measure import Asked, google_benchmark, medians_in_turn, row

CONTEXT = 4096
ROUNDS = {1024: 7, 4096: 3}  # at 4096 tokens a run of the Python peer takes half a minute
TWO_THREADS = {"OMP_NUM_THREADS": "2"}
FLASH_TOKENS, WINDOW = 8192, 512  # as in attention_bench


def model_and_tokens(bench, tokens):
    folder = models.gpt2_folder(bench.folder, "F32", CONTEXT)
    return folder, ",".join(str(i * 7919 % models.VOCABULARY) for i in range(tokens))


def ours(bench, tokens):
    return Asked(bench.program("forward_bench"), *model_and_tokens(bench, tokens),
                 environment={**os.environ, **TWO_THREADS})


def medians_of_equals(ask_a, ask_b, rounds):
    """Of answers with "seconds", and with "logits" that must be the same on both sides."""
    logits = {}

    def seconds(ask):
        answer = ask()
        logits[ask] = numpy.array(answer["logits"])
        return answer["seconds"]

    medians = medians_in_turn(lambda: seconds(ask_a), lambda: seconds(ask_b), rounds)
    worst = abs(logits[ask_a] - logits[ask_b]).max()
    if not worst < 1e-3 * numpy.ptp(logits[ask_b]):
        sys.exit(f"the two sides do not compute the same: their logits differ by {worst}")
    return medians


def forward(bench, tokens):
    """A run with everything kept beside our flash path that keeps nothing."""
    with ours(bench, tokens) as program:
        capture, flash = medians_of_equals(functools.partial(program.ask, "capture"),
                                           functools.partial(program.ask, "flash"), ROUNDS[tokens])
    return row(f"forward_{tokens}", "s", capture, flash, f"our flash forward without a capture, {flash:.2f} s", 1.10)


def eager(bench, tokens, times_faster):
    """The same run beside transformers, eager, with its maps."""
    peer_command, environment = peers.command("eager_peer.py", *model_and_tokens(bench, tokens))
    with ours(bench, tokens) as program, Asked(*peer_command, environment={**environment, **TWO_THREADS}) as peer:
        capture, maps = medians_of_equals(functools.partial(program.ask, "capture"),
                                          functools.partial(peer.ask, "maps"), ROUNDS[tokens])
    return row(f"eager_{tokens}", "s", capture, maps, f"transformers eager with its maps, {maps:.2f} s",
               1 / times_faster)


def run_memory(bench, tokens, allowed):
    """What such a run adds, at its peak, to what a fresh process holds with the model open."""
    output = subprocess.run([bench.program("run_memory"), *model_and_tokens(bench, tokens)], check=True,
                            env={**os.environ, **TWO_THREADS}, stdout=subprocess.PIPE).stdout
    return row(f"run_memory_{tokens}", "MiB", int(output) / 2**20, allowed, f"the goal, {allowed} MiB", 1)


def attention_medians(bench, *names):
    return google_benchmark(bench.program("attention_bench"), f"--benchmark_filter=^({'|'.join(names)})/",
                            min_time=0.5, environment={**os.environ, **TWO_THREADS})


def manual(bench):
    """Our manual attention alone beside nanoGPT's lines, 12 heads of 64, 1024 tokens."""
    medians = attention_medians(bench, "manual", "nanogpt")
    return row("manual", "ms", medians["manual"], medians["nanogpt"],
               f"nanoGPT's lines in eager LibTorch, {medians['nanogpt']:.1f} ms", 1 / 1.5)


def window(bench):
    """Our flash attention under a window of 512, 8192 tokens, beside full attention in proportion to visible cells."""
    medians = attention_medians(bench, "window", "full")
    visible = sum(min(i, WINDOW) + 1 for i in range(FLASH_TOKENS))
    share = visible / sum(i + 1 for i in range(FLASH_TOKENS))
    return row("window", "ms", medians["window"], share * medians["full"],
               f"full causal, {medians['full']:.0f} ms, x {share:.3f} of its cells visible", 1.5)
