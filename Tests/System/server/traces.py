#!/usr/bin/env python3
"""Traces, as a collector receives them: traces.py VQ INDEX PICTURE

The collector is the reference library's form of OTLP (opentelemetry-proto of PyPI), which knows each field. It answers, is not there, hangs,
answers with 503, or closes while it reads: the questions are answered all the same, each time, and the lost spans are counted. One line a
check; exit code 1 if one fails.
"""
import base64
import http.client
import http.server
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

VQ, INDEX, PICTURE = sys.argv[1:4]
failures = 0


def say(name, holds, detail=""):
    global failures
    failures += not holds
    print(("ok    " if holds else "FAIL  ") + name + ("" if holds else f": {detail}"), flush=True)


def parsed(body):
    """The request as protobuf; an unknown field or a value of another kind is an error. OTLP writes ids as hex, protobuf as Base64."""
    document = json.loads(body)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    return json_format.ParseDict(document, ExportTraceServiceRequest())


class Collector(http.server.ThreadingHTTPServer):
    """Takes traces as `manner` says."""
    daemon_threads = True

    def __init__(self, manner):
        self.manner, self.requests, self.spans, self.errors = manner, 0, [], []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_POST(self):
        collector = self.server
        collector.requests += 1
        if collector.manner == "hangs":
            time.sleep(60)
        if collector.manner == "closes":
            self.rfile.read(20)
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if collector.manner == "answers":
            try:
                assert self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json", self.path
                assert self.headers["api-key"] == "a secret", dict(self.headers)
                for resource in parsed(body).resource_spans:
                    names = {one.key: one.value.string_value for one in resource.resource.attributes}
                    assert names["service.name"] == "photos of the shop", names
                    collector.spans += [span for scope in resource.scope_spans for span in scope.spans]
            except Exception as error:  # noqa: BLE001
                collector.errors.append(repr(error))
        self.send_response(200 if collector.manner == "answers" else 503)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


class Service:
    """A server of the index whose traces go to an address."""

    def __init__(self, collector, share):
        self.process = subprocess.Popen(
            [VQ, "serve", "--index", INDEX, "--port", "0", "--trace-share", str(share)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={
                "PATH": "/usr/bin:/bin", "OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_SERVICE_NAME": "photos of the shop",
                "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20secret"})
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))

    def ask(self, method, path, body=None, fields={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer, text

    def match(self, fields={}):
        with open(PICTURE, "rb") as file:
            return self.ask("POST", "/v1/match?labels=box", file.read(), {"Content-Type": "image/jpeg", **fields})

    def counts(self):
        return {name: int(count) for name, count in re.findall(
            r'^vq_trace_spans_total\{result="(\w+)"\} (\d+)$', self.ask("GET", "/metrics")[1].decode(), re.M)}

    def until(self, holds):
        for _ in range(600):
            if holds():
                return True
            time.sleep(0.1)
        return False

    def end(self):
        """Ends the server; returns its exit code and its log."""
        self.process.terminate()
        _, log = self.process.communicate(timeout=60)
        return self.process.returncode, [json.loads(line) for line in log.splitlines() if line.startswith("{")]


collector = Collector("answers")
service = Service(collector.address, 0)
trace, client = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
answer, _ = service.match({"traceparent": f"00-{trace}-{client}-01", "tracestate": "shop=7", "X-Request-ID": "mine"})
service.match()
service.until(lambda: collector.spans)
code, log = service.end()
say("each request is OTLP as the reference library has it", not collector.errors and collector.spans, collector.errors[:3])
say("only the trace of the client is sent", {span.trace_id.hex() for span in collector.spans} == {trace},
    {span.trace_id.hex() for span in collector.spans})
roots = [span for span in collector.spans if span.kind == span.SPAN_KIND_SERVER]
say("the request is one span, beneath that of the client", len(roots) == 1 and roots[0].parent_span_id.hex() == client
    and roots[0].name == "POST /v1/match" and roots[0].trace_state == "shop=7", roots)
steps = [span for span in collector.spans if span.kind == span.SPAN_KIND_INTERNAL]
say("the steps are beneath the request", {"decoding", "lookup"} <= {span.name for span in steps}
    and all(span.parent_span_id == roots[0].span_id for span in steps), [span.name for span in steps])
# The end of a request is when the event loop writes its answer, which a busy machine may put off.
say("the steps are within its time", all(
    roots[0].start_time_unix_nano - 5e9 <= span.start_time_unix_nano <= span.end_time_unix_nano <= roots[0].end_time_unix_nano + 5e9
    for span in steps))
say("the answer goes on with the trace", answer.headers["traceparent"] == f"00-{trace}-{roots[0].span_id.hex()}-01"
    and answer.headers["tracestate"] == "shop=7", answer.headers.items())
lines = [line for line in log if line.get("requestId") == "mine"]
say("the line of the log has trace and span", lines and lines[0]["traceId"] == trace and lines[0]["spanId"] == roots[0].span_id.hex(), lines)
say("the others have a trace of their own", all(len(line["traceId"]) == 32 and len(line["spanId"]) == 16 for line in log if line["event"] == "request"))
say("the server ends", code == 0, code)

# A run of the index is a span of the trace that starts it.
collector = Collector("answers")
with tempfile.TemporaryDirectory() as folder:
    feed = pathlib.Path(folder) / "feed.jsonl"
    variables = {"PATH": "/usr/bin:/bin", "OTEL_SERVICE_NAME": "photos of the shop", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20secret",
                 "TRACEPARENT": f"00-{trace}-{client}-01"}

    def index(address):
        return subprocess.run([VQ, "index", feed, "--index", f"{folder}/shop.vq", "--quiet"], capture_output=True, text=True,
                              env={**variables, "OTEL_EXPORTER_OTLP_ENDPOINT": address})
    feed.write_text('{"type":"product","id":"a","title":"A"}\n')
    good = index(collector.address)
    feed.write_text("{")
    bad = index(collector.address)
    say("runs of the index are spans, with their exit codes", [(span.name, span.attributes[0].value.int_value, span.status.code) for span in collector.spans]
        == [("vq index", good.returncode, 0), ("vq index", bad.returncode, 2)] and bad.returncode, (collector.spans, good.stderr, bad.stderr))
    say("they are beneath the span that started them", all(span.parent_span_id.hex() == client for span in collector.spans), collector.spans)
    feed.write_text('{"type":"product","id":"b","title":"B"}\n')
    lost = index("http://127.0.0.1:1")
    say("a run whose trace is lost says so, and ends as it did", lost.returncode == good.returncode and "trace of this run" in lost.stderr, lost.stderr)

closed = socket.socket()
closed.bind(("127.0.0.1", 0))
for manner in ("is not there", "hangs", "refuses", "closes"):
    collector = None if manner == "is not there" else Collector(manner)
    service = Service(collector.address if collector else f"http://127.0.0.1:{closed.getsockname()[1]}", 1)
    answers = [service.match()[0].status for _ in range(5)]
    say(f"a collector that {manner}: questions are answered", answers == [200] * 5, answers)
    if manner == "hangs":
        service.until(lambda: collector.requests)
    else:
        say(f"a collector that {manner}: lost spans are counted", service.until(lambda: service.counts()["refused"] > 0), service.counts())
    code, log = service.end()
    said = [line for line in log if line["event"] == "traces"]
    say(f"a collector that {manner}: the server ends", code == 0, code)
    if manner != "hangs":
        say(f"a collector that {manner}: the log says so once", len(said) == 1 and said[0]["level"] == "error", said)
sys.exit(failures > 0)
