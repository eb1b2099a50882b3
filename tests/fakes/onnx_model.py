"""A cross-encoder small enough to be written by hand: its ONNX file, byte by byte, and its tokenizer.

The logit of a pair is the sum of its tokens' weights plus a bias, so a test knows it exactly:
Gather(weights, input_ids) -> Mul(attention_mask) -> ReduceSum -> Add(bias). The file is a protocol buffer, the
`ModelProto` of onnx.proto with opset 17.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_FLOAT, _INT64 = 1, 7


def write_cross_encoder(
    folder: Path, weights: Mapping[str, float], *, bias: float = 0.0, outputs: int = 1, summed: int = 1
) -> None:
    """`tokenizer.json` (words at white space, as BERT pairs them) and `model.onnx`. With more `outputs` a pair has its
    logit that many times, the n-th n-fold, counted from 0. `summed` is the axis of the sum: with 0 in place of 1 it has
    a logit for each token and none for each pair."""
    vocabulary = ["[PAD]", "[UNK]", "[SEP]", *weights]
    table = [[weights.get(word, 0.0) * (n if outputs > 1 else 1) for n in range(outputs)] for word in vocabulary]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(
        _model([number for row in table for number in row], len(table), outputs, bias, summed)
    )
    sep: dict[str, Any] = {"SpecialToken": {"id": "[SEP]", "type_id": 0}}
    parts: list[dict[str, Any]] = [
        {"Sequence": {"id": "A", "type_id": 0}},
        sep,
        {"Sequence": {"id": "B", "type_id": 1}},
    ]
    tokenizer: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": parts[:2],
            "pair": parts,
            "special_tokens": {"[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}},
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: index for index, word in enumerate(vocabulary)},
            "unk_token": "[UNK]",
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")


def _model(weights: Sequence[float], words: int, outputs: int, bias: float, summed: int) -> bytes:
    nodes = [
        _node("Gather", ["weights", "input_ids"], "each"),
        _node("Cast", ["attention_mask"], "mask", _whole("to", _FLOAT)),
        _node("Unsqueeze", ["mask", "last"], "column"),
        _node("Mul", ["each", "column"], "kept"),
        _node("ReduceSum", ["kept", "tokens"], "sum", _whole("keepdims", 0)),
        _node("Add", ["sum", "bias"], "logits"),
    ]
    constants = [
        _floats("weights", [words, outputs], weights),
        _floats("bias", [1], [bias]),
        _wholes("last", [2]),
        _wholes("tokens", [summed]),
    ]
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"graph"),
            *(_field(5, constant) for constant in constants),
            *(_field(11, _value(name, _INT64, 2)) for name in ("input_ids", "attention_mask")),
            _field(12, _value("logits", _FLOAT, 2)),
        ]
    )
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 17))  # ir_version, graph, opset_import


def _node(kind: str, inputs: Sequence[str], output: str, *attributes: bytes) -> bytes:
    named = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
    return named + _field(4, kind.encode()) + b"".join(_field(5, each) for each in attributes)


def _whole(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _field(3, value) + _field(20, 2)  # name, i, type INT


def _floats(name: str, shape: Sequence[int], values: Sequence[float]) -> bytes:
    dims = b"".join(_field(1, size) for size in shape)
    return dims + _field(2, _FLOAT) + _field(8, name.encode()) + _field(9, struct.pack(f"<{len(values)}f", *values))


def _wholes(name: str, values: Sequence[int]) -> bytes:
    dims = _field(1, len(values))
    return dims + _field(2, _INT64) + _field(8, name.encode()) + _field(9, struct.pack(f"<{len(values)}q", *values))


def _value(name: str, kind: int, rank: int) -> bytes:
    dims = b"".join(_field(1, _field(2, f"{name}{n}".encode())) for n in range(rank))
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def _field(number: int, value: int | bytes) -> bytes:
    """A field of a protocol buffer: a varint, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
