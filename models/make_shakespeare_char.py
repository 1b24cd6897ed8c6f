#!/usr/bin/env python3
"""Makes models/shakespeare-char from the checkpoint that nanoGPT's train.py saved: the same file without its optimizer.

usage: make_shakespeare_char.py FOLDER      (a folder with ckpt.pt and meta.pkl; needs `pip install torch`)
"""
import pathlib
import shutil
import sys

import torch

KEPT = ("model", "model_args", "iter_num", "best_val_loss", "config")


def main():
    source = pathlib.Path(sys.argv[1])
    target = pathlib.Path(__file__).parent / "shakespeare-char"
    target.mkdir(exist_ok=True)
    checkpoint = torch.load(source / "ckpt.pt", map_location="cpu", weights_only=True)
    # lm_head.weight and wte.weight share one storage; torch.save keeps that, so it is written once.
    torch.save({key: checkpoint[key] for key in KEPT}, target / "ckpt.pt")
    shutil.copyfile(source / "meta.pkl", target / "meta.pkl")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
