#!/usr/bin/env python3
"""Cuts upstream's reference runs, and the checkpoints they are of, small enough for the repository (needs numpy).

usage: make_cuts.py FIXTURES [NAME...]      NAME: a folder of CUTS below; without one, all of them

Nothing is computed again, every number is copied bit for bit:
* The models are causal, so the first n tokens of a run are a run of their own: attention[:, :, :n, :n] and logits[:n].
* A token that the prompt does not hold touches neither the maps nor another token's logits, so a vocabulary is cut by
  leaving out its rows of the embedding and of the head, and its columns of the logits.
"""
import dataclasses
import json
import pathlib
import re
import shutil
import struct
import sys

import numpy

# Queries before a window of 128 is full, around its edge (129 keys with the query's own), and the last of 151.
EDGE_OF_128 = (0, 1, 40, 127, 128, 129, 130, 150)


@dataclasses.dataclass
class Cut:
    references: dict  # name -> tokens kept
    rows: tuple = ()  # queries kept, where (T, T) would be large; none: all of them
    checkpoint: str = "whole"  # or "vocabulary": cut to the prompt's tokens; or "none": it is elsewhere in the repository


CUTS = {
    "nanogpt-shakespeare-char": Cut({"reference": 48, "reference_long": 96}, checkpoint="none"),
    "nanochat-2025-10": Cut({"reference": 151}, rows=EDGE_OF_128),
    "nanochat-2026-01": Cut({"reference": 151}, rows=EDGE_OF_128),
    "nanochat-2026-07": Cut({"reference": 151}, rows=EDGE_OF_128),
    "hf-gpt2": Cut({"reference": 24}, checkpoint="vocabulary"),
    "hf-llama-gqa": Cut({"reference": 32}, checkpoint="vocabulary"),
    "hf-llama-bf16-sharded": Cut({"reference": 32}),
    "hf-mistral-window": Cut({"reference": 32}, checkpoint="vocabulary"),
    "hf-qwen2-bias": Cut({"reference": 32}, checkpoint="vocabulary"),
    "hf-qwen3-qknorm": Cut({"reference": 32}, checkpoint="vocabulary"),
    "gguf-llama-spm": Cut({"reference": 24}),
    "gguf-types": Cut({}),
    "smollm2": Cut({"reference": 22}, rows=(0, 1, 10, 11, 20, 21), checkpoint="none"),
}
TYPES = {"F32": numpy.dtype("<f4"), "I64": numpy.dtype("<i8")}
NAMES = {dtype: name for name, dtype in TYPES.items()}
VOCABULARY_TENSORS = ("wte.weight", "embed_tokens.weight", "lm_head.weight")


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = numpy.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


def write_safetensors(path, tensors, metadata=None):
    header, payload = {"__metadata__": metadata} if metadata else {}, b""
    # The widest type first, as safetensors itself does, so that every tensor is aligned.
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        content = numpy.ascontiguousarray(tensor).tobytes()
        offsets = [len(payload), len(payload) + len(content)]
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": offsets}
        payload += content
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + payload)


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def beginning_of_prompt(description, n):
    """The part of the prompt that the first n tokens stand for. A token that is no text by itself reads "\ufffd"."""
    texts = description["tokens"][:n]
    if n == len(description["tokens"]):
        return description["prompt"]
    # Else the first token is what upstream puts before every prompt.
    pieces = texts if description["prompt"].startswith(texts[0]) else texts[1:]
    joined = "".join(pieces).replace("\u2581", " ").removeprefix("" if pieces is texts else " ")
    joined = re.sub(r"<0x([0-9A-F]{2})>", lambda byte: chr(int(byte.group(1), 16)), joined)
    pattern = re.sub("\ufffd+", r"[^\\x00-\\x7f]+", re.escape(joined))
    found = re.match(pattern, description["prompt"])
    if not found or "\ufffd" in texts[-1]:
        sys.exit(f"the first {n} tokens do not spell a beginning of the prompt {description['prompt'][:40]!r}")
    return found.group()


def cut_reference(source, target, name, n, rows, kept):
    """kept: the token ids whose rows the cut vocabulary has, in order; None: all."""
    description = read_json(source / f"{name}.json")
    whole, _ = read_safetensors(source / f"{name}.safetensors")
    # What is left of the description would be about the whole run (its mean loss).
    text = {"prompt": beginning_of_prompt(description, n), "tokens": description["tokens"][:n],
            "cut_from": len(description["tokens"])}
    tensors = {"tokens": whole["tokens"][:n], "attention": whole["attention"][:, :, :n, :n]}
    if "logits" in whole:
        tensors["logits"] = whole["logits"][:n]
    else:
        tensors["logits_last"] = whole["logits_last"]  # of the whole run: n is all its tokens
    if kept is not None:
        text["vocabulary"] = [int(token) for token in kept]
        tensors["tokens"] = numpy.searchsorted(kept, tensors["tokens"])
        tensors["logits"] = tensors["logits"][:, kept]
    if rows:
        tensors["rows"] = numpy.array(rows)
        if "logits" in tensors:
            tensors["logits"] = tensors["logits"][list(rows)]
        tensors["attention_rows"] = tensors.pop("attention")[:, :, list(rows)]
    write_json(target / f"{name}.json", text)
    write_safetensors(target / f"{name}.safetensors", tensors)


def copy_checkpoint(source, target, with_references):
    for path in sorted(source.rglob("*")):
        if path.is_file() and (with_references or not path.name.startswith("reference")):
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def cut_vocabulary(source, target, kept):
    """config.json and model.safetensors with these tokens alone; the tokenizer, which knows the others, stays out."""
    tensors, metadata = read_safetensors(source / "model.safetensors")
    tensors = {name: tensor[kept] if name.endswith(VOCABULARY_TENSORS) else tensor for name, tensor in tensors.items()}
    write_safetensors(target / "model.safetensors", tensors, metadata)
    config = read_json(source / "config.json")
    config["vocab_size"] = len(kept)
    for key in ("bos_token_id", "eos_token_id"):
        config[key] = None
    write_json(target / "config.json", config)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    fixtures, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    for folder in sys.argv[2:] or CUTS:
        cut, source, target = CUTS[folder], fixtures / folder, here / folder
        target.mkdir(parents=True, exist_ok=True)
        kept = None
        if cut.checkpoint == "whole":
            copy_checkpoint(source, target, with_references=not cut.references)
        elif cut.checkpoint == "vocabulary":
            whole = [read_safetensors(source / f"{name}.safetensors")[0]["tokens"][:n]
                     for name, n in cut.references.items()]
            kept = numpy.unique(numpy.concatenate(whole))
            cut_vocabulary(source, target, kept)
        for name, n in cut.references.items():
            cut_reference(source, target, name, n, cut.rows, kept)


if __name__ == "__main__":
    main()
