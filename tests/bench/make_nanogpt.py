"""usage: make_nanogpt.py FILE KIND      KIND: optimizer (as nanoGPT's train.py saves it) or model (without AdamW's state)

Its weights are gpt2_shapes() of models.py, transposed where nanoGPT's linears are, with random numbers.
"""
import sys

import torch

import models


def main():
    path, kind = sys.argv[1:]
    torch.manual_seed(1)
    weights = {}
    for name, shape in models.gpt2_shapes().items():
        is_linear = name.startswith("h.") and len(shape) == 2
        values = 0.02 * torch.randn(tuple(reversed(shape)) if is_linear else shape)
        weights[f"transformer.{name}"] = values + 1 if "ln_" in name and name.endswith(".weight") else values
    parameters = [torch.nn.Parameter(tensor) for tensor in weights.values()]
    weights["lm_head.weight"] = weights["transformer.wte.weight"]  # one storage, as tied weights are saved

    checkpoint = {"model": weights}
    if kind == "optimizer":
        adam = torch.optim.AdamW(parameters)
        for parameter in parameters:
            parameter.grad = torch.zeros_like(parameter)
        adam.step()
        checkpoint["optimizer"] = adam.state_dict()
    checkpoint |= {
        "model_args": {"n_layer": models.LAYERS, "n_head": models.HEADS, "n_embd": models.EMBEDDING,
                       "block_size": models.CONTEXT, "bias": True, "vocab_size": models.VOCABULARY, "dropout": 0.0},
        "iter_num": 1, "best_val_loss": torch.tensor(10.8), "config": {"dataset": "openwebtext"}}
    torch.save(checkpoint, path)


if __name__ == "__main__":
    main()
