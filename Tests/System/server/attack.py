#!/usr/bin/env python3
"""Clients that attack: attack.py VQ SHOP PICTURE [--only TEXT]

Tables of requests that may hide others and of hostile documents for PUT, each with the status that it must get; clients that take all
the time that they are given, beside one that asks as usual; bodies that are never finished. No check asserts a time. Standard library only. One line a
check, or a table; exit code 1 if one fails.
"""
import argparse
import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

TAIL = b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
HIDDEN = b"GET /v1/limits HTTP/1.1\r\nHost: a\r\n\r\n"


def get(target=b"/livez", fields=b"", host=b"Host: a\r\n", line=None):
    return (line or b"GET " + target + b" HTTP/1.1") + b"\r\n" + host + fields + b"\r\n"


def post(fields, body=b"", version=b"1.1"):
    return (b"POST /v1/entities:query HTTP/" + version + b"\r\nHost: a\r\nContent-Type: application/json\r\n" + fields + b"\r\n" + body)


def chunked(body):
    return post(b"Transfer-Encoding: chunked\r\n", body)


def framing():
    """Name, bytes, and the statuses of all answers. The bytes are followed by TAIL, which is answered with 200 unless the request is refused."""
    ok, bad, large = (200, 200), (400,), (413,)
    cases = []

    def add(group, expected, *requests):
        cases.extend((f"{group}: {request[0]!r}" if isinstance(request, tuple) else f"{group}: {request[:60]!r}",
                      request[1] if isinstance(request, tuple) else request, expected) for request in requests)

    def length(value):
        return value, post(b"Content-Length:" + value + b"\r\n", b"{}")

    add("length", ok, length(b"2"), length(b" 2"), length(b"\t2 \t"), length(b" 02"), length(b" 0000000000000002"))
    add("length", bad, *map(length, (
        b"", b" +2", b" -2", b" 2,2", b" 2, 2", b" 0x2", b" 2.0", b" 1e1", b" 2;a", b" 2 2", b" \x002", b" 2\x0b", b" \xd9\xa2", b" two", b" '2'")))
    add("length", large, *map(length, (b" 10000001", b" 99999999999999999999", b" 18446744073709551618", b" 9223372036854775808")))
    add("two lengths", bad, *(post(b"Content-Length: " + one + b"\r\ncontent-length: " + two + b"\r\n", b"{}")
                              for one, two in ((b"2", b"2"), (b"2", b"0"), (b"0", b"2"), (b"2", b""))))

    def coding(value, body=b"2\r\n{}\r\n0\r\n\r\n"):
        return value, post(b"Transfer-Encoding:" + value + b"\r\n", body)

    add("coding", ok, coding(b" chunked"), coding(b"chunked"), coding(b" \tCHUNKED "), coding(b" Chunked"))
    add("coding", (501,), *map(coding, (
        b" xchunked", b" chunkedx", b" identity", b" gzip, chunked", b" chunked, gzip", b" chunked, chunked", b' "chunked"', b" chunked;a=b",
        b" chunked,", b" ,chunked", b"", b" gzip", b" chun ked")))
    add("coding", bad, *map(coding, (b" \x0bchunked", b" chunked\x00", b" \x0cchunked", " chun\u212aed".encode(), b" chunked\xa0")))
    add("coding and length", bad, *(post(fields, b"0\r\n\r\n" + HIDDEN) for fields in (
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n",
        b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n")))
    add("coding of 1.0", bad, post(b"Transfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n", b"1.0"))

    add("chunks", ok, *map(chunked, (
        b"2\r\n{}\r\n0\r\n\r\n", b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", b"00000002\r\n{}\r\n000\r\n\r\n", b"2;a\r\n{}\r\n0;b=c\r\n\r\n",
        b'2;a="b;\\"c"\r\n{}\r\n0\r\n\r\n', b"2; a = b\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\nA: b\r\n\r\n",
        b"2\r\n{}\r\n0\r\nContent-Length: 50\r\nHost: evil\r\nTransfer-Encoding: chunked\r\n\r\n")))
    add("chunks", bad, *map(chunked, (
        b"\r\n{}\r\n0\r\n\r\n", b"+2\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b"0x2\r\n{}\r\n0\r\n\r\n", b" 2\r\n{}\r\n0\r\n\r\n",
        b"2 \r\n{}\r\n0\r\n\r\n", b"2 ;a\r\n{}\r\n0\r\n\r\n", b"2\n{}\r\n0\r\n\r\n", b"2\r{}\r\n0\r\n\r\n", b"2\r\n{}\n0\r\n\r\n", b"2\r\n{}x\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n",
        b"2\r\n{}\r\n0\n\r\n", b"2;\r\n{}\r\n0\r\n\r\n", b"2;=a\r\n{}\r\n0\r\n\r\n", b"2;a=\r\n{}\r\n0\r\n\r\n", b'2;a="b\r\n{}\r\n0\r\n\r\n',
        b'2;a="b"c\r\n{}\r\n0\r\n\r\n', b"2;a\x00\r\n{}\r\n0\r\n\r\n", b"2;\xc3\xa9\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\nnonsense\r\n\r\n",
        b"2\r\n{}\r\n0\r\n A: b\r\n\r\n", b"2\r\n{}\r\n0\r\nA : b\r\n\r\n", b"2\r\n{}\r\n0\r\nA: b\n\r\n", b"g\r\n{}\r\n0\r\n\r\n")))
    add("chunks", large, *map(chunked, (b"fffffffff\r\n{}", b"ffffffff\r\n{}", b"989681\r\n{}", b"10000000000000002\r\n{}\r\n0\r\n\r\n")))
    add("chunks", (431,), chunked(b"2;a=" + b"b" * 300 + b"\r\n{}\r\n0\r\n\r\n"), chunked(b"2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 4000 + b"\r\n"))

    def host(value):
        return value, get(host=b"Host:" + value + b"\r\n")

    add("host", ok, *map(host, (b" a", b"", b" shop.example:80", b" [::1]:80", b" 127.0.0.1:", b" a%41", b" a_b~c", b" a,b")))
    add("host", bad, *map(host, (
        b" a b", b" a:x", b" a:1:2", b" a:65536", b" :80", b" a%zz", b" a%4", b" [::1", b" [::1]x", b" [name]", b" a@b", b" a/b",
        " caf\u00e9".encode(), b" a\x00")))
    add("hosts", bad, get(host=b""), get(host=b"Host: a\r\nHost: a\r\n"), get(host=b"Host: a\r\nhost: b\r\n"), get(host=b"Host : a\r\n"))

    add("target", ok, get(b"http://a/livez"), get(b"/%6civez"), get(b"/livez?"))
    add("target", (404, 200), get(b"//livez"), get(b"/livez/"), get(b"/LIVEZ"), get(b"/%2flivez"), get(b"/../livez"), get(b"/v1%2Flimits"),
        get(b"/livez%00"), get(b"/livez;a"))
    add("target", bad, get(b"livez"), get(b"/livez#a"), get(b"/%zz"), get(b"/%"), get(b"/%ff"), get(b"http:///livez"), get(b"http://:80/livez"),
        get(b"http://a@b/livez"), get(b"a:80"), get(b"/a\\b\x7f"), get("/caf\u00e9".encode()), get(b"/a\tb"), get(b"*"), get(b""))
    add("target", (414,), get(b"/" + b"a" * 9000), get(b"/livez?" + b"a" * 9000))

    add("line", bad, *(get(line=line) for line in (
        b"GET  /livez HTTP/1.1", b"GET\t/livez HTTP/1.1", b"GET /livez  HTTP/1.1", b"GET /livez HTTP/1.1 ", b" GET /livez HTTP/1.1", b"GET /livez",
        b"GET /livez http/1.1", b"GET /livez HTTP/1.11", b"GET /livez HTTP/11", b"GET /livez HTTP/1", b"GET /livez HTTPS/1.1", b"G(T /livez HTTP/1.1",
        b"GET /livez\rHTTP/1.1", b"\x16\x03\x01\x00")), b"GET /livez HTTP/1.1\nHost: a\n\n", b"\r\n\r\n\r\n\r\n" + get(), b"GET /livez\r\n\r\n")
    add("line", (505,), *(get(line=b"GET /livez HTTP/" + version) for version in (b"0.9", b"2.0", b"3.0")), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    add("line", ok, b"\r\n" + get())
    add("1.0", (200,), get(line=b"GET /livez HTTP/1.0"), get(line=b"GET /livez HTTP/1.0", host=b""))
    add("1.0", ok, get(line=b"GET /livez HTTP/1.0", fields=b"Connection: keep-alive\r\n"))

    add("method", (501, 200), *(get(line=method + b" /livez HTTP/1.1") for method in (b"BREW", b"get", b"A", b"GETGET", b"PROPFIND")))
    add("method", (405, 200), *(get(line=method + b" /livez HTTP/1.1") for method in (b"POST", b"PUT", b"DELETE", b"PATCH", b"TRACE", b"QUERY")))
    add("method", (400,), get(line=b"CONNECT a:80 HTTP/1.1"))
    add("method", (204, 200), get(line=b"OPTIONS * HTTP/1.1"), get(line=b"OPTIONS /livez HTTP/1.1"))
    add("method", ok, get(line=b"HEAD /livez HTTP/1.1"))

    add("field", bad, *(get(fields=fields) for fields in (
        b"X : a\r\n", b" X: a\r\n", b"X: a\r\n b\r\n", b"X: a\r\n\tb\r\n", b": a\r\n", b"nonsense\r\n", b"X: a\x00b\r\n", b"X: a\rb\r\n", b"X: a\n",
        b"X: a\x7f\r\n", b"X\x00: a\r\n", b"X(: a\r\n", b"\xc3\xa9: a\r\n", "Connection: clo\u017fe\r\n".encode(), "Expect: 100-continue\u0301\r\n".encode(),
        b"Content-Type: a/b\r\ncontent-type: c/d\r\n")))
    add("field", ok, get(fields=b"X:\r\n"), get(fields=b"X: \xc3\xa9\r\n"), get(fields=b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n"),
        get(fields=b"Connection: Host\r\n"), get(fields=b"X-Forwarded-For: 1.2.3.4\r\nX-HTTP-Method-Override: DELETE\r\nX-Original-URL: /v1/entities\r\n"))
    add("field", (200,), get(fields=b"Connection: x, CLOSE\r\n"))
    add("field", (431,), get(fields=b"X: " + b"a" * 20_000 + b"\r\n"), get(fields=b"A: b\r\n" * 120))
    add("expect", (417,), post(b"Content-Length: 2\r\nExpect: payment\r\n"), post(b"Content-Length: 2\r\nExpect: 100-continue, x\r\n"), get(fields=b"Expect: 200-ok\r\n"))
    add("expect", (100, 200, 200), post(b"Content-Length: 2\r\nExpect: 100-continue\r\n", b"{}"), post(b"Content-Length: 2\r\nExpect: 100-Continue\r\n", b"{}"))
    add("expect", ok, post(b"Content-Length: 2\r\nExpect: 100-continue\r\nConnection: keep-alive\r\n", b"{}", b"1.0"))
    # A body that is not read ends the connection, so that it cannot be taken for a request.
    add("body", (404,), post(b"Content-Length: %d\r\n" % len(HIDDEN), HIDDEN).replace(b"/v1/entities:query", b"/nothing"))
    add("body", (405,), post(b"Content-Length: %d\r\n" % len(HIDDEN), HIDDEN).replace(b"/v1/entities:query", b"/livez"))
    add("body", (200,), b"GET /v1/limits HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN)
    add("body", (413,), b"GET /v1/entities/suggested HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN)
    add("body", (400, 200), post(b"Content-Length: %d\r\n" % len(HIDDEN), HIDDEN), post(b""))
    return cases


def documents():
    """Name, bytes, and the statuses that a PUT of them may get."""
    good, refused, broken = (200, 201), (422,), (400,)
    title = '"title":"T"'

    def field(text):
        return "{" + title + "," + text + "}"

    cases = [(text, text, good) for text in (
        field('"labels":[]'), field('"labels":["\\ud83d\\ude00"]'), field('"subtitle":""'), field('"own":{"a":[1,null,true]}'),
        field('"price":{"amount":"14.90","currency":"EUR"}'), field('"own":1e308'), field('"own":-0'), field('"__proto__":{"a":1}'),
        field('"constructor":"x"'), field('"type":"product"'), field('"own":"\\u0000"'), field('"geo":{"latitude":91,"longitude":0}'), field('"stock":[1]'))]
    cases += [(text, text, broken) for text in (
        "", "{", "[", "{}{}", "[]", "null", "1", '"a"', "{" + title + ",}", "{'title':'T'}", "{title:1}", field('"a":NaN'), field('"a":Infinity'), field('"a":01'),
        field('"a":+1'), field('"a":.5'), field('"a":1.'), field('"a":0x1'), field('"a":"\\x41"'), field('"a":"\\u12"'), field('"a":"\t"'), field('"a":tru'),
        field('"a":"\\ud800"'), "{" + title + "}x", "// c\n{" + title + "}", field('"title":"U"'), field('"a":' + "[" * 600 + "]" * 600), field('"a":' + "[" * 100_000),
        '{"a":' * 100_000)]
    cases += [(text, text, refused) for text in (
        "{}", '{"title":""}', '{"title":null}', '{"title":1}', '{"title":[]}', '{"title":"  "}', field('"type":"store"'), field('"type":"x"'), field('"id":"other"'),
        field('"id":1'), field('"labels":[1]'), field('"labels":{"a":1}'), field('"url":"javascript:alert(1)"'), field('"url":"JAVASCRIPT:alert(1)"'),
        field('"url":"data:text/html,x"'), field('"url":"http://u:p@shop.example/"'), field('"url":"http://a/\\r\\nX: y"'), field('"url":"//a"'), field('"url":1'),
        field('"images":["../x.jpg"]'), field('"images":["/etc/passwd"]'), field('"images":["none.jpg"]'), field('"images":["a\\u0000.jpg"]'), field('"images":["."]'),
        field('"images":[""' + ',"none.jpg"' + "]"), field('"images":["http://127.0.0.1:1/x.jpg"]'), field('"images":["file:///etc/passwd"]'),
        field('"images":["upload:0123456789abcdef"]'), field('"images":[1]'), field('"price":"-1 EUR"'), field('"price":{"amount":"NaN","currency":"EUR"}'),
        field('"price":{"amount":"1"}'), field('"price":{"amount":"1e999","currency":"EUR"}'), field('"price":{"amount":"1","currency":"EURO"}'),
        field('"availability":"maybe"'), field('"group":1'),
        field('"embeddings":[{"model":"m","vector":"AA"}]'))]
    encoded = [("invalid UTF-8", b'{"title":"\xff"}'), ("overlong UTF-8", b'{"title":"\xc0\xaf"}'), ("an encoded surrogate", b'{"title":"\xed\xa0\x80"}'),
               ("UTF-16", '{"title":"T"}'.encode("utf-16")), ("UTF-32", '{"title":"T"}'.encode("utf-32")), ("zeros", bytes(1000)),
               ("gzip", b"\x1f\x8b\x08\x00" + bytes(20)), ("500 000 digits", b'{"title":"T","a":' + b"1" * 500_000 + b"}")]
    cases = [(name, text.encode(), statuses) for name, text, statuses in cases]
    cases += [(name, contents, broken) for name, contents in encoded]
    cases += [("a mark of the byte order", b'\xef\xbb\xbf{"title":"T"}', good), ("too much", b" " * (1 << 20) + b"{}", (413,)),
              ("a long group", field('"group":"' + "a" * 100_000 + '"').encode(), (200, 201, 422)),
              ("names that are equal", b'{"title":"T","title":"U","own":1,"own":2}', (200, 201, 400, 422))]
    return cases


def large_png(side=10_000):
    """A gray PNG of 97 KB that takes half a second of a processor."""
    def chunk(kind, contents):
        return struct.pack(">I", len(contents)) + kind + contents + struct.pack(">I", zlib.crc32(kind + contents))
    rows = zlib.compress(bytes(side * (side + 1)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Server:
    def __init__(self, vq, index, *options):
        self.process = subprocess.Popen([vq, "serve", "--index", index, "--port", "0", "--quiet", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])

    def raw(self, data):
        """The statuses of all answers to some bytes."""
        received = b""
        with contextlib.closing(socket.create_connection(("127.0.0.1", self.port), timeout=20)) as client:
            with contextlib.suppress(ConnectionError):
                client.sendall(data)
            with contextlib.suppress(ConnectionError):
                while piece := client.recv(65536):
                    received += piece
        return tuple(int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) [A-Z]", received))

    def ask(self, method, target, body=None, headers=None, address="127.0.0.1"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(address, 0))
        with contextlib.closing(connection):
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def match(self, picture, deadline, address="127.0.0.1"):
        return self.ask("POST", f"/v1/match?deadlineMs={deadline}", picture, {"Content-Type": "image/jpeg"}, address)[0]

    def memory(self, name):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.M)[1]) * 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class Checks:
    def __init__(self, arguments, folder):
        self.vq, self.folder, self.failures = arguments.vq, folder, 0
        with open(arguments.picture, "rb") as file:
            self.picture = file.read()
        self.index = os.path.join(folder, "shop.vq")
        subprocess.run([self.vq, "index", arguments.shop, "--index", self.index], check=True, capture_output=True)

    def serve(self, *options):
        return Server(self.vq, self.index, *options)

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def each_request_is_read_in_one_way(self):
        wrong, cases = [], framing()
        # On a loopback address, a server without keys answers only requests to its own names (conformance.py).
        with self.serve("--host", "0.0.0.0") as server:
            for name, data, expected in cases:
                found = server.raw(data + TAIL)
                if found != expected:
                    wrong.append(f"{name}: {found}, not {expected}")
            self.say("the server is well", server.ask("GET", "/livez")[0] == 200)
        self.say(f"{len(cases)} ways to frame a request: none is read in two ways", not wrong, "\n".join(wrong))

    def a_hostile_document_is_refused_or_stored(self):
        keys = os.path.join(self.folder, "keys.txt")
        key = subprocess.run([self.vq, "key", keys, "--name", "w", "--role", "write"], check=True, capture_output=True, text=True).stdout.strip()
        wrong, cases = [], documents()
        with self.serve("--keys", keys) as server:
            headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
            for name, data, statuses in cases:
                status, _, answer = server.ask("PUT", "/v1/entities/product/attacked", data, headers)
                code = json.loads(answer).get("code")
                if status not in statuses or (status >= 400 and code is None):
                    wrong.append(f"{name[:100]}: {status} {code}, not {statuses}")
            status = server.ask("GET", "/v1/entities/product/attacked", headers=headers)[0]
            self.say("the entity is one of those that were accepted", status == 200, status)
        self.say(f"{len(cases)} hostile documents: each is refused or stored", not wrong, "\n".join(wrong))
        verified = subprocess.run([self.vq, "catalogue", "verify", "--index", self.index], capture_output=True, text=True)
        self.say("the index is sound afterwards", verified.returncode == 0, verified.stdout + verified.stderr)

    def attacked(self, attackers, sent, deadline):
        """The statuses of an ordinary client's questions while attackers ask."""
        stop = threading.Event()
        with self.serve("-j", "2") as server:
            def attack(number):
                while not stop.is_set():
                    if server.match(sent, deadline, f"127.0.0.{2 + number}") != 200:
                        time.sleep(0.05)

            threads = [threading.Thread(target=attack, args=(number,)) for number in range(attackers) for _ in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(1)
            statuses = []
            for _ in range(20):
                statuses.append(server.match(self.picture, 300, "127.0.0.100"))
                time.sleep(0.15)
            stop.set()
            for thread in threads:
                thread.join()
        return statuses

    def an_attacker_does_not_keep_others_out(self):
        large = large_png()
        for name, attackers, sent, deadline in (
                ("large images with long deadlines", 1, large, 2000), ("large images of four addresses", 4, large, 2000),
                ("large images with the usual deadline", 4, large, 300), ("photos with long deadlines", 4, self.picture, 2000)):
            # Of 20, 0 or 1 were answered before clients had shares. Other work on the machine takes time of both (5 or 6 were
            # answered beside the tests), so that one of three rounds has to show it.
            rounds = []
            while len(rounds) < 3 and max((statuses.count(200) for statuses in rounds), default=0) < 4:
                rounds.append(self.attacked(attackers, sent, deadline))
            self.say(f"{name}: questions of another client are answered", max(statuses.count(200) for statuses in rounds) >= 4, rounds)

    def forms_count_by_their_own_deadline(self):
        boundary = "b"
        request = json.dumps({"deadlineMs": 60000, "labels": ["box"]})
        form = (f'--{boundary}\r\nContent-Disposition: form-data; name="request"\r\n\r\n{request}\r\n--{boundary}\r\n'
                'Content-Disposition: form-data; name="image"\r\n\r\n').encode() + self.picture + f"\r\n--{boundary}--\r\n".encode()
        with self.serve("-j", "2", "--max-deadline", "60000") as server:
            for name, body, kind in (("a form", form, f"multipart/form-data; boundary={boundary}"), ("JSON", request.encode(), "application/json")):
                server.match(self.picture, 60000)
                statuses = []
                threads = [threading.Thread(target=lambda: statuses.append(
                    server.ask("POST", "/v1/match", body, {"Content-Type": kind})[0])) for _ in range(16)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.say(f"16 questions at once in {name} with a minute: all are answered", statuses == [200] * 16, statuses)

    def bodies_keep_to_their_budget(self):
        head = b"POST /v1/match HTTP/1.1\r\nHost: a\r\nContent-Type: image/jpeg\r\nContent-Length: 9000000\r\n\r\n"
        with self.serve() as server:
            before = server.memory("VmRSS")
            clients = []
            for _ in range(60):
                client = socket.create_connection(("127.0.0.1", server.port), timeout=20)
                clients.append(client)
                with contextlib.suppress(OSError):
                    client.sendall(head + bytes(8_000_000))
            time.sleep(0.5)
            peak = server.memory("VmHWM")
            for client in clients:
                client.close()
            # 256 MiB of bodies, and the packets and answers of all connections.
            self.say("60 bodies of 8 MB that are not finished keep to 256 MiB", peak - before < 300 << 20, (peak - before) >> 20)
            self.say("afterwards all is as before", server.match(self.picture, 2000) == 200)

    def the_time_of_a_client_is_bounded_on_request(self):
        large = large_png()
        with self.serve("--cpu-rate", "0.05", "--trusted-proxy", "local") as server:
            def ask(client):
                status, fields, _ = server.ask("POST", "/v1/match?deadlineMs=2000", large, {
                    "Content-Type": "image/png", "X-Forwarded-For": f"9.9.9.9, {client}"})
                return status, fields.get("Retry-After")
            seen = [ask("192.0.2.1") for _ in range(40)]
            self.say("a client that takes more time than it may is told when to come back",
                     seen[-1][0] == 429 and int(seen[-1][1]) > 0, seen[-1])
            self.say("another one behind the same proxy is answered", ask("192.0.2.2")[0] == 200)
        with self.serve("--rate", "1") as server:
            statuses = [server.ask("GET", "/v1/limits", headers={"X-Forwarded-For": f"192.0.2.{number}"})[0] for number in range(5)]
            self.say("nobody is believed without --trusted-proxy", 429 in statuses, statuses)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("shop")
    parser.add_argument("picture")
    parser.add_argument("--only", metavar="TEXT", default="")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        checks = Checks(arguments, folder)
        for name in [name for name in vars(Checks) if name.count("_") > 1 and not name.startswith("_")]:
            if arguments.only in name:
                getattr(checks, name)()
    finally:
        shutil.rmtree(folder)
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
