"""usage: attention_peer.py T H D      (a word on stdin, nanogpt or flash; a line of JSON on stdout, until stdin ends)

The peer of `headscope bench`: times nanoGPT's lines, or scaled_dot_product_attention on its flash kernel, on random
q, k, v (1, H, T, D) in float32. Twenty runs after three that do not count; the answer is {"seconds": their median}.
"""
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

T, H, D = map(int, sys.argv[1:])
torch.manual_seed(1)
q, k, v = (torch.randn(1, H, T, D) for _ in range(3))
bias = torch.tril(torch.ones(T, T)).view(1, 1, T, T)  # nanoGPT's buffer


def nanogpt():
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    att = att.masked_fill(bias == 0, float("-inf"))
    att = F.softmax(att, dim=-1)
    return att @ v


def flash():
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def median_seconds(work):
    samples = []
    for run in range(23):
        begin = time.perf_counter()
        work()
        samples.append(time.perf_counter() - begin)
    return statistics.median(samples[3:])


with torch.inference_mode(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    if not (nanogpt() - flash()).abs().max() < 1e-5:
        sys.exit("attention_peer: the two ways differ")
    for word in sys.stdin:
        work = {"nanogpt": nanogpt, "flash": flash}[word.strip()]
        print(json.dumps({"seconds": median_seconds(work)}), flush=True)
