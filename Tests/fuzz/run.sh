#!/usr/bin/env bash
# Coverage-guided fuzzing of what reads a client's bytes: run.sh [SECONDS]. Ends with 1 where a request makes it crash,
# or is read differently when it comes in pieces.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
folder=.build/fuzz
mkdir -p "$folder/corpus"
printf 'POST /v1/match?labels=a%%2Cb,c HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n' > "$folder/corpus/length"
printf 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n' > "$folder/corpus/chunks"
printf 'GET http://a/b?c=d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' > "$folder/corpus/absolute"
printf -- '--b\r\nContent-Disposition: form-data; name="a"; filename="x\\"y"\r\nContent-Type: image/jpeg\r\n\r\nabc\r\n--b--' > "$folder/corpus/form"
swiftc -O -sanitize=fuzzer,address -parse-as-library -swift-version 6 \
  Sources/vq/Server/HTTP/*.swift Tests/fuzz/RequestFuzzer.swift -o "$folder/request"
SWIFT_BACKTRACE=enable=no "$folder/request" -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=2048 \
  -artifact_prefix="$folder/" "$folder/corpus"
