#!/usr/bin/env python3
"""Asks tiktoken, tokenizers and sentencepiece for the ids of fresh random text (needs these packages, and gguf).

usage: make_vectors.py FIXTURES

Writes seven files beside itself:
  vectors.json   what two tokenizer files below tests/data make of hard lines and of random text with a seed of its own
  variants.json  the same for a tokenizer.json with some of its parts replaced: each normalizer, pre-tokenizer and option
                 of added tokens that is read
  characters.json          a tokenizer.json over characters in the form of Llama 2's, trained on FIXTURES' text
  characters-vectors.json  what it makes of the lines of vectors.json and, with some of its parts replaced, of other lines
  sentencepiece-vectors.json  what FIXTURES' tokenizer.model makes of the lines of vectors.json
  smollm2-vectors.json  what tokenizers makes of the lines of vectors.json with the vocabulary of models/smollm2 and the
                 pre-tokenizer and special tokens that SmolLM2's own tokenizer.json has
  split-rules.json  into which pieces the split rules of published tokenizers cut them
"""
import json
import pathlib
import pickle
import random
import sys
import unicodedata

import gguf
import sentencepiece
import tokenizers

SEED = 20261129
HERE = pathlib.Path(__file__).parent
TIKTOKEN = "nanochat-2025-10/tokenizer/tokenizer.pkl"
TOKENIZERS = "hf-llama-bf16-sharded/tokenizer.json"
SPACES = " \t\n\r\v\f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u180e\u200b"
EMOJI = ["🙂", "😀", "👍", "🏽", "🇳", "🇨", "👩‍👩‍👧‍👦", "🏳️‍🌈", "\u200d"]
WORDS = ["don't", "I'VE", "'s", "'S", "'LL", "it’s", "ſ'ſ", "<|bos|>", "<|begin_of_text|>", "<|end_of_text|>", "<|endoftext|>",
         "e\u0301", "ﬁ", "½", "²", "ⅷ", "́", "你好", "こんにちは", "한국어", "مرحبا", "नमस्ते", "if (x<=y) {", "\r\n\r\n", "3.14", "1234567"]
# Assigned long ago, so that every engine's tables know them.
OLD = [chr(c) for c in range(0x110000) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs", "Co")]


def random_lines(rng, text):
    latin = [chr(c) for c in range(0xA1, 0x250)]
    ascii_ = [chr(c) for c in range(0x21, 0x7F)]
    han = list("的国人我上大有好来")
    kinds = [
        lambda: rng.choice(rng.choice([latin, latin, ascii_, han, EMOJI, list(" \n'0123456789")])),
        lambda: rng.choice(OLD),
        lambda: rng.choice(SPACES) if rng.random() < 0.7 else rng.choice(ascii_),
        lambda: rng.choice(WORDS) + rng.choice(["", " ", "  ", "\n", "\t"]),
    ]
    lines = []
    for i in range(120):
        kind = kinds[i % len(kinds)]
        lines.append("".join(kind() for _ in range(rng.randrange(1, 24))))
    for _ in range(24):
        start = rng.randrange(len(text) - 200)
        lines.append(text[start:start + rng.randrange(20, 160)])
    return lines


def added(token_id, content, **options):
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": token_id, "content": content, **flags, **options}


def byte_level(prefix=False, regex=True):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": [*steps]}


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = [r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+",
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
# By the names that GGUF files have for them, as the models' own tokenizer.json spell them ("default" is llama.cpp's own).
SPLIT_RULES = {
    "gpt-2": [GPT2],
    "smollm": [r"\p{N}", GPT2],
    "llama-bpe": [QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")],
    "qwen2": [QWEN],
    "tekken": [r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
               r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
               r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"],
    "deepseek-coder": [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"[一-龥ࠀ-一가-퟿]+", r"\p{N}"],
    "default": [r"[\p{P}\$\+<=>\^~\|]+", GPT2.removesuffix(r"|\s+"), r"\p{N}+", r"[0-9][0-9][0-9]"],
}
BASE_ADDED = [added(0, "<|begin_of_text|>"), added(1, "<|end_of_text|>")]


def variants(vocabulary):
    """name -> parts that replace those of the tokenizer.json; "model" is a patch of the model."""
    plain = {"pre_tokenizer": byte_level()}
    yield "GPT-2's rule", plain
    yield "a space before", {"pre_tokenizer": byte_level(prefix=True)}
    yield "a space before, no rule", {"pre_tokenizer": byte_level(prefix=True, regex=False)}
    yield "no rule", {"pre_tokenizer": byte_level(regex=False)}
    yield "whole pieces", {**plain, "model": {"ignore_merges": True}}
    yield "digits one by one", {"pre_tokenizer": sequence({"type": "Digits", "individual_digits": True}, byte_level())}
    yield "digits together", {"pre_tokenizer": sequence({"type": "Digits", "individual_digits": False}, byte_level(True))}
    yield "sequence in a sequence", {"pre_tokenizer": sequence(
        sequence({"type": "Digits", "individual_digits": True}), split({"String": "e"}), byte_level(False, False))}
    for name, pattern in (("Qwen", QWEN), ("o200k", O200K)):
        yield name, {"normalizer": {"type": "NFC"},
                     "pre_tokenizer": sequence(split({"Regex": pattern}), byte_level(False, False))}
    yield "DeepSeek", {"pre_tokenizer": sequence(*[split({"Regex": p}) for p in DEEPSEEK], byte_level(False, False))}
    for behavior in ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        for invert in (False, True):
            for pattern in ({"Regex": r"[\s\d]"}, {"String": "e"}, {"Regex": r"(?=\p{Lu})"}):
                yield f"{behavior} {invert} {pattern}", {
                    "pre_tokenizer": sequence(split(pattern, behavior, invert), byte_level(False, False))}
    patterns = [r"[\S]+", r"[^\S\n]+", r"\D+", r"$", r"^", r"\p{N}{1,2}+", r"\p{L}{2}", r"\p{L}{2,}?", r".", r"\x41|\u3000", r"\p{^L}+",
                r"[\p{Greek}\p{Han}]+", r"(?<=\s)\S", r"(?i)the|AND", r"[a[bc]d]+", r"(a|e|\v|\f|\a)++", r" ?[^(\s|[.,!?…。，、।۔،])]+", r"[\s-]"]
    for pattern in patterns:
        yield f"pattern {pattern}", {"pre_tokenizer": sequence(split({"Regex": pattern}), byte_level(False, False))}
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield form, {**plain, "normalizer": {"type": form}}
    yield "forms in a row", {**plain, "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "NFKC"}]}}
    yield "replacements", {**plain, "normalizer": {"type": "Sequence", "normalizers": [REPLACE, {"type": "NFC"}, PREPEND]}}
    for options in ({}, {"lstrip": True}, {"rstrip": True}, {"lstrip": True, "rstrip": True}, {"single_word": True},
                    {"normalized": True, "special": False}, {"single_word": True, "lstrip": True, "normalized": True, "special": False}):
        for words in (["the", "<x>"], ["a", "<x", "<x>y", "he", "é"]):
            new = [word for word in words if word not in vocabulary]
            tokens = BASE_ADDED + [added(vocabulary.get(word, len(vocabulary) + (new + words).index(word)), word, **options)
                                   for word in words]
            yield f"added {words} {options}", {**plain, "normalizer": {"type": "NFC"}, "added_tokens": tokens}


def characters(text):
    """A tokenizer.json in the form of Llama 2's: all bytes as tokens, few characters, merges within words."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    model.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=400, show_progress=False, initial_alphabet=list("▁é你🙂́\n"))
    model.train_from_iterator(text.splitlines(), trainer)
    trained = json.loads(model.to_str())["model"]
    words = sorted(trained["vocab"], key=trained["vocab"].get)
    spelled = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    vocabulary = {word: i for i, word in enumerate(spelled + words + ["▁▁", "▁▁▁▁"])}
    begin = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [added(i, spelled[i]) for i in range(3)],
        "normalizer": {"type": "Sequence", "normalizers": [PREPEND, REPLACE]},
        "pre_tokenizer": None,
        "post_processor": {"type": "TemplateProcessing", "single": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
                           "pair": [begin, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                           "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                  "vocab": vocabulary,
                  "merges": [" ".join(merge) for merge in trained["merges"]] + ["▁ ▁", "▁▁ ▁▁"]}}


PREPEND = {"type": "Prepend", "prepend": "▁"}
REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}


def metaspace(**options):
    return {"type": "Metaspace", "replacement": "▁", **options}


def character_variants(vocabulary):
    """As variants(); the first ones are for all lines."""
    few = {word: i for word, i in vocabulary.items() if word not in ("<0xC3>", "<0x98>", "<0xE5>", "<0x0A>", "A", "\n")}
    none = {"normalizer": None}
    yield "Llama 2, as it stands", {}
    yield "Metaspace first", {**none, "pre_tokenizer": metaspace(prepend_scheme="first", split=False)}
    for scheme in ("always", "never"):
        yield f"Metaspace {scheme}", {**none, "pre_tokenizer": metaspace(prepend_scheme=scheme, split=False)}
    for scheme in ("always", "first", "never"):
        yield f"Metaspace {scheme}, split", {**none, "pre_tokenizer": metaspace(prepend_scheme=scheme, split=True)}
    yield "Metaspace of old", {**none, "pre_tokenizer": metaspace(add_prefix_space=True)}
    yield "Metaspace of old, nothing before", {
        **none, "pre_tokenizer": metaspace(add_prefix_space=False, prepend_scheme="never", str_rep="▁")}
    yield "Metaspace and digits", {**none, "pre_tokenizer": sequence(metaspace(), {"type": "Digits", "individual_digits": True})}
    yield "Metaspace after Prepend", {"pre_tokenizer": metaspace(prepend_scheme="first", split=False)}
    yield "another mark", {**none, "pre_tokenizer": {"type": "Metaspace", "replacement": "e"}}
    yield "Gemma", {"normalizer": REPLACE, "pre_tokenizer": split({"String": " "}, "MergedWithPrevious")}
    yield "no steps", none
    yield "forms and replacements", {"normalizer": {"type": "Sequence", "normalizers": [
        {"type": "NFKC"}, {"type": "Replace", "pattern": {"String": "the"}, "content": "a"},
        {"type": "Replace", "pattern": {"String": "aa"}, "content": "b"},
        {"type": "Replace", "pattern": {"String": "x"}, "content": ""}, REPLACE, PREPEND]}}
    for fuse in (True, False):
        yield f"bytes missing, fused {fuse}", {"model": {"vocab": few, "fuse_unk": fuse, "merges": []}}
        yield f"no byte fallback, fused {fuse}", {"model": {"byte_fallback": False, "fuse_unk": fuse}}
    yield "nothing for unknown characters", {"model": {"byte_fallback": False, "unk_token": None}}
    specials = [added(i, word, normalized=True) for i, word in enumerate(("<unk>", "<s>", "</s>"))]
    size = len(vocabulary)
    for form in ({}, {**none, "pre_tokenizer": metaspace(prepend_scheme="first", split=False)}):
        yield f"normalized added tokens {len(form)}", {**form, "added_tokens": specials}
        yield f"added tokens that take spaces {len(form)}", {**form, "added_tokens": specials[:1] + [
            added(1, "<s>", lstrip=True), added(2, "</s>", rstrip=True)]}
        yield f"added tokens with marks {len(form)}", {**form, "added_tokens": [
            added(size, "▁<x>", special=False), added(size + 1, "<x> ", normalized=True, special=False),
            added(vocabulary["▁▁"], "▁▁", special=False)]}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    fixtures = pathlib.Path(sys.argv[1])
    rng = random.Random(SEED)
    text = (fixtures / "text/tinyshakespeare.txt").read_text(encoding="utf-8")
    lines = json.loads((HERE / "gpt2-vectors.json").read_text(encoding="utf-8"))["lines"] + random_lines(rng, text)

    encoding = pickle.loads((HERE.parent / TIKTOKEN).read_bytes())
    base = json.loads((HERE.parent / TOKENIZERS).read_text(encoding="utf-8"))
    whole = tokenizers.Tokenizer.from_str(json.dumps(base))
    ids = {TIKTOKEN: [encoding.encode_ordinary(line) for line in lines],
           TOKENIZERS: [whole.encode(line, add_special_tokens=False).ids for line in lines]}
    write("vectors.json", {"lines": lines, "ids": ids})

    write_sentencepiece(fixtures, lines)
    write_smollm2(lines)
    write_split_rules(lines)

    some = rng.sample([line for line in lines if len(line) < 80], 10) + ["", "the <x> they the<x>y the", " the\t<x>\n ", "the\u3000<x><x>ye\u0301é thé", "a the_the 1the the-the",
                                    "  <x  <x>  the  ", "e\u0323\u0307\u0301 \u1e69 ﬁ Å ½", "fooBarBAZ qux", "12 345 6789", "αβγ 你好 abc\u180e",
                                    "thethe the", "Hello. (x) a-b\n\nc\n"]
    result = []
    for name, parts in variants(base["model"]["vocab"]):
        whole = {**base, **parts, "model": {**base["model"], **parts.get("model", {})}}
        model = tokenizers.Tokenizer.from_str(json.dumps(whole))
        result.append({"name": name, "parts": parts,
                       "ids": [model.encode(line, add_special_tokens=False).ids for line in some]})
    write("variants.json", {"lines": some, "variants": result})

    base = characters(text)
    write("characters.json", base)
    some += ["<s>", " <s> a", "<s>the</s> end<unk>.", "a<s> <s>  b", "▁a ▁ b", "  four    five     ", "ÃåAÃ\nA åÃ×Ø你", "x", "xx<s>x",
             "▁<x> <x> ▁▁<x>▁<s>", "\n\n a\n"]
    result = []
    for i, (name, parts) in enumerate(character_variants(base["model"]["vocab"])):
        whole = {**base, **parts, "model": {**base["model"], **parts.get("model", {})}}
        model = tokenizers.Tokenizer.from_str(json.dumps(whole))
        result.append({"name": name, "parts": parts, "ids": [model.encode(line, add_special_tokens=False).ids
                                                             for line in (lines if i < 2 else some)]})
    write("characters-vectors.json", {"lines": some, "variants": result})


def write_sentencepiece(fixtures, lines):
    model = sentencepiece.SentencePieceProcessor(model_file=str(fixtures / "gguf-llama-spm/tokenizer.model"))
    write("sentencepiece-vectors.json", {"ids": [model.encode(line) for line in lines]})


def write_smollm2(lines):
    (file,) = (HERE.parents[2] / "models/smollm2").glob("*.gguf")
    fields = gguf.GGUFReader(file).fields
    tokens, merges, types = (fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "merges", "token_type"))
    model = tokenizers.Tokenizer(tokenizers.models.BPE(
        {token: i for i, token in enumerate(tokens)}, [tuple(merge.split(" ")) for merge in merges]))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Digits(individual_digits=True),
        tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    model.add_special_tokens([token for token, kind in zip(tokens, types) if kind == 3])
    write("smollm2-vectors.json", {"ids": [model.encode(line).ids for line in lines]})


def write_split_rules(lines):
    """Of each line the lengths of its pieces, in bytes."""
    lengths = {}
    for name, patterns in SPLIT_RULES.items():
        steps = [tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in patterns]
        rule = tokenizers.pre_tokenizers.Sequence(steps)
        lengths[name] = [[len(piece.encode()) for piece, _ in rule.pre_tokenize_str(line)] for line in lines]
    write("split-rules.json", {"lengths": lengths})


def write(name, value):
    # A line a row, so that a change is seen in a diff.
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("],[", "],\n[").replace('},{"name', '},\n{"name')
    (HERE / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
