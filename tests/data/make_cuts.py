#!/usr/bin/env python3
"""Cuts whole reference runs to the first tokens, small enough for the repository (needs numpy).

usage: make_cuts.py FIXTURES [NAME...]      NAME: a folder of CUTS below; without one, all of them

The models are causal, so the first n tokens of a run are a run of their own: attention[:, :, :n, :n] and logits[:n]
are copied bit for bit, nothing is computed again.
"""
import json
import pathlib
import struct
import sys

import numpy

# folder -> {reference: tokens kept}
CUTS = {
    "nanogpt-shakespeare-char": {"reference": 48, "reference_long": 96},
}
TYPES = {"F32": numpy.dtype("<f4"), "I64": numpy.dtype("<i8")}
NAMES = {dtype: name for name, dtype in TYPES.items()}


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = numpy.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    header, payload = {}, b""
    # The widest type first, as safetensors itself does, so that every tensor is aligned.
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        content = numpy.ascontiguousarray(tensor).tobytes()
        offsets = [len(payload), len(payload) + len(content)]
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": offsets}
        payload += content
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + payload)


def cut(source, target, name, n):
    description = json.loads((source / f"{name}.json").read_text(encoding="utf-8"))
    whole = read_safetensors(source / f"{name}.safetensors")
    tokens = description["tokens"][:n]
    prompt = "".join(tokens)
    if not description["prompt"].startswith(prompt):
        sys.exit(f"{source / name}.json: its tokens do not spell the beginning of its prompt")
    target.mkdir(parents=True, exist_ok=True)
    # What is left of the description would be about the whole run (its mean loss).
    kept = {"prompt": prompt, "tokens": tokens, "cut_from": len(description["tokens"])}
    (target / f"{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write_safetensors(target / f"{name}.safetensors", {
        "tokens": whole["tokens"][:n],
        "logits": whole["logits"][:n],
        "attention": whole["attention"][:, :, :n, :n],
    })


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    fixtures, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    for folder in sys.argv[2:] or CUTS:
        for name, n in CUTS[folder].items():
            cut(fixtures / folder, here / folder, name, n)


if __name__ == "__main__":
    main()
