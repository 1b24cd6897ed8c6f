"""Models of GPT-2's smallest size with random weights, made on the spot. Making one a second time finds it made."""
import json
import struct
import subprocess

import numpy

import peers

LAYERS, HEADS, EMBEDDING, VOCABULARY, CONTEXT = 12, 12, 768, 50257, 1024
CONFIG = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "activation_function": "gelu_new",
          "layer_norm_epsilon": 1e-5, "n_layer": LAYERS, "n_head": HEADS, "n_embd": EMBEDDING, "n_positions": CONTEXT,
          "n_ctx": CONTEXT, "vocab_size": VOCABULARY, "tie_word_embeddings": True, "bos_token_id": 50256,
          "eos_token_id": 50256}


def gpt2_shapes(context=CONTEXT):
    """Names and shapes as published with GPT-2: linear weights are (in, out)."""
    C = EMBEDDING
    shapes = {"wte.weight": (VOCABULARY, C), "wpe.weight": (context, C), "ln_f.weight": (C,), "ln_f.bias": (C,)}
    for layer in range(LAYERS):
        for name, outputs, inputs in (("attn.c_attn", 3 * C, C), ("attn.c_proj", C, C), ("mlp.c_fc", 4 * C, C),
                                      ("mlp.c_proj", C, 4 * C)):
            shapes[f"h.{layer}.{name}.weight"] = (inputs, outputs)
            shapes[f"h.{layer}.{name}.bias"] = (outputs,)
        for name in ("ln_1", "ln_2"):
            shapes[f"h.{layer}.{name}.weight"] = shapes[f"h.{layer}.{name}.bias"] = (C,)
    return shapes


WEIGHTS = sum(int(numpy.prod(shape)) for shape in gpt2_shapes().values())  # 124,439,808


def random_weights(generator, name, shape):
    noise = 0.02 * generator.standard_normal(shape, numpy.float32)
    return noise + 1 if "ln_" in name and name.endswith(".weight") else noise


def gpt2_folder(parent, dtype, context=CONTEXT):
    """config.json and model.safetensors, dtype F32 or BF16; no tokenizer."""
    folder = parent / f"gpt2-{dtype}-{context}"
    if folder.exists():
        return folder
    folder.mkdir()
    config = CONFIG | {"n_positions": context, "n_ctx": context}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    shapes, size = gpt2_shapes(context), {"F32": 4, "BF16": 2}[dtype]
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes.items():
        begin, end = end, end + size * int(numpy.prod(shape))
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    generator = numpy.random.default_rng(1)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.items():
            values = random_weights(generator, name, shape)
            # The upper half of a float32 is a bfloat16.
            file.write((values if dtype == "F32" else (values.view(numpy.uint32) >> 16).astype(numpy.uint16)).tobytes())
    return folder


def nanogpt_checkpoint(parent, kind):
    """ckpt.pt as nanoGPT's train.py saves it, kind "optimizer", or without the state of AdamW, kind "model"."""
    path = parent / f"nanogpt-{kind}" / "ckpt.pt"
    if not path.exists():
        path.parent.mkdir()
        command, environment = peers.command("make_nanogpt.py", path, kind)
        subprocess.run(command, env=environment, check=True)
    return path
