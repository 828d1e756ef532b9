"""The clients of the soak test: good ones, bad ones, slow ones, and those that hang up."""
import contextlib
import json
import socket
import struct
import time
import urllib.parse

from clients import answer

# Sockets that clients hold at once: one each, and what the slow ones hold.
SLOW_SOCKETS = 8
SOCKET_LIMIT = 64

class Context:
    """What the clients share."""

    def __init__(self, server, shop, tally, stop):
        self.server, self.shop, self.tally, self.stop = server, shop, tally, stop
        # What an app has that keeps up by /v1/sync.
        self.state, self.has_more, self.synced = "", True, set()

    def head(self, method, path, key=None, headers=""):
        key = self.shop.reader if key is None else key
        authorization = f"Authorization: Bearer {key}\r\n" if key else ""
        return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{authorization}{headers}".encode()

    def request(self, method, path, body=None, kind="application/json", key=None):
        head = self.head(method, path, key)
        if body is None:
            return head + b"\r\n"
        return head + f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    def send(self, data):
        with contextlib.closing(self.server.connect()) as client:
            client.settimeout(120)
            # A refusal may come before all is sent.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(data)
            return answer(client)

    def ask(self, *arguments, **options):
        return self.send(self.request(*arguments, **options))

    def load(self):
        text = self.ask("GET", "/metrics", key=self.shop.writer)[2].decode()
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")
        return int(float(values["vq_requests_running"]) + float(values["vq_requests_waiting"]))

    def refused(self, status, fields, body):
        """Whether a good request got one of the documented refusals of a busy server."""
        if status != 503:
            return False
        if "retry-after" not in fields or "code" not in json.loads(body):
            self.tally.fail(f"503 without Retry-After or code: {fields} {body[:200]}")
        self.tally.add("refused")
        return True


# --- Good clients ---


def match_path(labels, limit=5):
    # Without a cut-off: the noise in the catalogue moves a confidence, and only the order is checked.
    words = urllib.parse.urlencode(
        {"labels": ",".join(labels), "limit": limit, "deadlineMs": 60000, "minConfidence": 0})
    return f"/v1/match?{words}"


def match_known(context, generator):
    """A photo of the sample shop's own things, whose rows stay in every generation."""
    picture, labels, truth = generator.choice(context.shop.queries)
    document = match(context, picture, labels)
    if document is not None and document["values"][0]["id"] not in truth:
        context.tally.fail(f"{truth} is {document['values'][0]['id']} in generation {document['generation']}")


def match_probe(context, generator):
    """A picture that moves from product to product."""
    number = generator.randrange(len(context.shop.probe_pictures))
    document = match(context, context.shop.probe_pictures[number], [])
    if document is not None:
        context.shop.check_probe(context.tally, document["generation"], number, document["values"][0]["id"])


def match(context, picture, labels):
    """Returns a complete answer with values, or None for a documented refusal or an answer cut short."""
    status, fields, body = context.ask("POST", match_path(labels), picture, "application/octet-stream")
    if context.refused(status, fields, body):
        return None
    if status != 200:
        return context.tally.fail(f"match: {status} {body[:200]}")
    document = json.loads(body)
    if not document["complete"]:
        return context.tally.add("partial")
    if not document["values"]:
        return context.tally.fail(f"match: nothing found, {body[:200]}")
    context.tally.add("matched")
    return document


def match_pages(context, generator):
    """A list in two pages, which share nothing."""
    picture, labels, _ = generator.choice(context.shop.queries)
    first = context.ask("POST", match_path(labels, limit=1), picture, "application/octet-stream")
    if context.refused(*first) or first[0] != 200:
        return
    document = json.loads(first[2])
    if "continuation" not in document or not document["hasMore"]:
        return
    question = json.dumps({"continuation": document["continuation"], "limit": 2, "deadlineMs": 60000}).encode()
    second = context.ask("POST", "/v1/match", question)
    if context.refused(*second):
        return
    if second[0] != 200:
        return context.tally.fail(f"second page: {second[0]} {second[2][:200]}")
    ids = [[value["id"] for value in json.loads(page)["values"]] for page in (first[2], second[2])]
    if set(ids[0]) & set(ids[1]):
        context.tally.fail(f"pages share {ids}")
    context.tally.add("matched")


def read_entities(context, generator):
    row = generator.choice(context.shop.rows)
    path = f"/v1/entities/{row['type']}/{row['id']}"
    checks = [
        (path, lambda body: json.loads(body)["entity"]["id"] == row["id"]),
        (path + "/thumbnail?size=small", lambda body: body[:2] == b"\xff\xd8"),
        (f"/v1/entities?ids={row['type']}:{row['id']}", lambda body: row["id"] in body.decode()),
        ("/v1/entities/suggested?limit=20", lambda body: "mug-red" in body.decode()),
        ("/v1/limits", lambda body: bool(json.loads(body))), ("/readyz", lambda body: body == b"ok\n"),
    ]
    path, holds = generator.choice(checks)
    status, fields, body = context.ask("GET", path)
    if context.refused(status, fields, body):
        return
    if status != 200 or not holds(body):
        return context.tally.fail(f"{path}: {status} {body[:200]}")
    context.tally.add("read")


def sync(context, _generator):
    """An app that keeps up with all changes."""
    query = {"limit": 50} | ({"state": context.state} if context.state else {})
    status, fields, body = context.ask("GET", "/v1/sync?" + urllib.parse.urlencode(query))
    if context.refused(status, fields, body):
        return
    if status != 200:
        return context.tally.fail(f"sync: {status} {body[:200]}")
    document = json.loads(body)
    context.state, context.has_more = document["state"], document["hasMore"]
    context.synced |= {(entity["type"], entity["id"]) for entity in document["upserts"]}
    context.synced -= {(entity["type"], entity["id"]) for entity in document["tombstones"]}
    context.tally.add("read")


# --- Bad clients ---


def bad_requests(context, generator):
    picture = bytearray(generator.choice(context.shop.queries)[0])
    # Cut before it is damaged: damage can turn the rest into a small image that is whole.
    beginning = bytes(picture[:4000])
    for _ in range(20):
        picture[generator.randrange(len(picture))] = generator.randrange(256)
    nested = b'{"labels":' + b"[" * 400 + b"]" * 400 + b"}"
    huge = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBBI", 13, b"IHDR", 1 << 20, 1 << 20, 8, 2, 0, 0, 0, 0)
    raw = context.head("GET", "/livez")
    return [
        (context.request("POST", "/v1/match?deadlineMs=60000", bytes(picture), "image/jpeg"), {200, 415, 422}),
        (context.request("POST", "/v1/match", beginning, "image/jpeg"), {415, 422}),
        (context.request("POST", "/v1/match", huge + bytes(64), "image/png"), {415, 422}),
        (context.request("POST", "/v1/match", generator.randbytes(3000), "image/png"), {415, 422}),
        (context.request("POST", "/v1/match", nested), {400, 422}),
        (context.request("POST", "/v1/match", b'{"lables":["mug"]}'), {400, 422}),
        (context.request("POST", "/v1/match", b"--b\r\n", "multipart/form-data; boundary=b"), {400}),
        (context.request("POST", "/v1/match", b'{"continuation":"AAAA"}'), {422}),
        (context.request("POST", "/v1/entities:query", b'{"comparators":[{"property":"no"}]}'), {400, 422}),
        (context.request("GET", "/v1/sync?state=AAAA"), {410, 422}),
        (context.request("GET", "/v1/entities/product/none"), {404}),
        (context.request("GET", "/v2"), {404}),
        (context.request("DELETE", "/v1/entities/product/mug-red"), {403}),
        (context.request("GET", "/v1/limits", key="wrong"), {401}),
        (context.request("PUT", "/v1/match", b""), {405}),
        (raw + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", {400}),
        (raw + b"X: " + b"x" * 20_000 + b"\r\n\r\n", {431}),
        (context.head("POST", "/v1/match") + b"Content-Type: image/png\r\nContent-Length: 99999999\r\n\r\n", {413}),
        (context.head("GET", "/" + "x" * 9000) + b"\r\n", {414}),
        (b"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", {505}),
        (generator.randbytes(200) + b"\r\n\r\n", {400, 414, 431, 501, 505}),
    ]


def ask_badly(context, generator):
    data, expected = generator.choice(bad_requests(context, generator))
    status, fields, body = context.send(data)
    if context.refused(status, fields, body):
        return
    shown = data[:60]
    if status not in expected:
        return context.tally.fail(f"{shown}: {status} {body[:200]}, expected {expected}")
    if status != 200:
        if fields.get("content-type") != "application/problem+json" or "code" not in json.loads(body):
            return context.tally.fail(f"{shown}: {status} is not a problem, {fields} {body[:200]}")
    context.tally.add("bad")


# --- Slow clients ---


def dawdle(context, generator):
    """Heads and bodies that come a byte at a time, and answers that are taken a few bytes at a time."""
    query = generator.choice(context.shop.queries)[0]
    request = generator.choice([
        context.request("POST", match_path([]), query, "image/jpeg"), context.head("GET", "/livez"),
        context.request("GET", "/openapi.json") * 30,
    ])
    clients = [context.server.connect() for _ in range(SLOW_SOCKETS)]
    try:
        for client in clients:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
        for step in range(40):
            for number, client in enumerate(clients):
                size = len(request) if request.endswith(b"\r\n\r\n") else 1 + 97 * (number % 2)
                with contextlib.suppress(OSError):
                    client.send(request[step * size:(step + 1) * size])
                    client.recv(512)
            if context.stop.wait(0.3):
                return
    finally:
        for client in clients:
            client.close()
    context.tally.add("slow")


# --- Clients that hang up ---


def hang_up(context, generator):
    """Connections that end in the middle of a request or before its answer, half of them by a reset."""
    request = context.request("POST", match_path([]), generator.choice(context.shop.queries)[0], "image/jpeg")
    with contextlib.closing(context.server.connect()) as client:
        if generator.random() < 0.5:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.sendall(request[:generator.choice([1, 30, 2000, len(request)])])
        context.stop.wait(generator.random() * 0.1)
    context.tally.add("aborted")


# Each has a thread of its own.
MIX = [match_known, match_probe, match_probe, match_pages, read_entities, sync, ask_badly, ask_badly, dawdle, dawdle,
       hang_up]


def warm_up(context):
    """Every known picture is found before anything else happens."""
    for picture, labels, truth in context.shop.queries:
        document = match(context, picture, labels)
        assert document and document["values"][0]["id"] in truth, (truth, document)
    for number, picture in enumerate(context.shop.probe_pictures):
        document = match(context, picture, [])
        assert document and document["values"][0]["id"] == context.shop.product_of(number), (number, document)


def wait_until_idle(context):
    """Waits for the last requests, and lets the app catch up."""
    end = time.monotonic() + 60
    context.has_more = True
    while context.has_more and time.monotonic() < end:
        sync(context, None)
    while context.load() > 0 and time.monotonic() < end:
        time.sleep(0.1)
