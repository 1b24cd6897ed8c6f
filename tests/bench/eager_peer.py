"""usage: eager_peer.py FOLDER TOKEN,TOKEN...      (peer of forward_bench)

Each line of input is answered with a line of JSON: the seconds of a run that keeps every map, and the first logits of its
last position.
"""
import json
import sys
import time

import torch
import transformers

folder, tokens = sys.argv[1], torch.tensor([[int(token) for token in sys.argv[2].split(",")]])
model = transformers.GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
for _ in sys.stdin:
    begin = time.perf_counter()
    with torch.inference_mode():
        output = model(tokens, output_attentions=True, use_cache=False, logits_to_keep=1)
    seconds = time.perf_counter() - begin
    assert len(output.attentions) == model.config.n_layer
    print(json.dumps({"seconds": seconds, "logits": output.logits[0, -1, :64].tolist()}), flush=True)
    del output  # the maps of two runs at once would not fit
