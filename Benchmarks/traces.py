#!/usr/bin/env python3
"""The price of traces: traces.py VQ INDEX PICTURE [--share 0.01] [--rounds 12] [--count 40]

Two servers with one thread answer the same photo in turn: one sends traces to a collector that takes them, one does not. Prints the median over rounds of
the ratio of their processor time. Standard library only.
"""
import argparse
import http.client
import http.server
import re
import statistics
import subprocess
import threading

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("vq")
parser.add_argument("index")
parser.add_argument("picture")
parser.add_argument("--share", default="0.01")
parser.add_argument("--rounds", type=int, default=12)
parser.add_argument("--count", type=int, default=40)
arguments = parser.parse_args()


class Collector(http.server.BaseHTTPRequestHandler):
    spans = 0

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        Collector.spans += self.rfile.read(int(self.headers["Content-Length"])).count(b'"spanId"')
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([arguments.vq, "serve", "--index", arguments.index, "--port", "0", "--threads", "1", "--quiet", "--max-deadline", "60000",
                                         *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, method, path, body=None):
        self.connection.request(method, path, body, {"Content-Type": "image/jpeg"} if body else {})
        return self.connection.getresponse().read()

    def seconds(self, photo):
        """Processor time of some questions."""
        def processor():
            return float(re.search(rb"^process_cpu_seconds_total (\S+)", self.ask("GET", "/metrics"), re.M).group(1))
        before = processor()
        for _ in range(arguments.count):
            self.ask("POST", "/v1/match?deadlineMs=60000", photo)
        return processor() - before


with open(arguments.picture, "rb") as file:
    photo = file.read()
collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
collector.daemon_threads = True
threading.Thread(target=collector.serve_forever, daemon=True).start()
servers = [Server(), Server("--traces", f"http://127.0.0.1:{collector.server_port}", "--trace-share", arguments.share)]
ratios = []
for round in range(arguments.rounds + 1):
    # Each is first in half of the rounds.
    order = (0, 1) if round % 2 else (1, 0)
    seconds = {number: servers[number].seconds(photo) for number in order}
    # The first round warms both.
    if round:
        ratios.append(seconds[1] / seconds[0])
for server in servers:
    server.process.terminate()
    server.process.wait()
print(f"processor time with traces ({arguments.share} of them): {statistics.median(ratios):.4f} of that without, "
      f"{min(ratios):.3f} to {max(ratios):.3f} in {arguments.rounds} rounds of {arguments.count}; {Collector.spans} spans")
