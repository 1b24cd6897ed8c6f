"""usage: first_logits_peer.py FOLDER TOKEN...      (peer of `headscope capture`: the last logits, float32, to stdout)"""
import sys

import torch
import transformers

# The class itself instead of AutoModelForCausalLM: the peer does nothing that it need not do.
model = transformers.GPT2LMHeadModel.from_pretrained(sys.argv[1], attn_implementation="eager", dtype=torch.float32)
with torch.inference_mode():
    output = model(torch.tensor([[int(token) for token in sys.argv[2:]]]), output_attentions=True)
sys.stdout.buffer.write(output.logits[0, -1].numpy().tobytes())
