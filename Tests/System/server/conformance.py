#!/usr/bin/env python3
"""Asks a running server everything that its OpenAPI document describes, and checks each answer.

    conformance.py BASE_URL SAMPLES_DIR [--key KEY] [--write-key KEY]

SAMPLES_DIR has queries/q06-oats.jpg; the server serves the catalogue of the sample shop. With
--write-key, an entity is put and deleted, and one other than the oats is deleted, so give it a
catalogue that may change.
One line a check, and a last line "N checks, M failures". Exit code 1 where there are failures.
Needs Python 3.9 or later and the package jsonschema.
"""

import argparse
import gzip
import http.client
import json
import re
import select
import socket
import ssl
import struct
import sys
import time
import urllib.parse
import uuid
import zlib
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

TIMEOUT = 60
PROBLEM = "application/problem+json"
QUOTE = urllib.parse.quote


# --- The document -------------------------------------------------------------------------------


def escaped(key):
    return key.replace("~", "~0").replace("/", "~1")


class Document:
    """The OpenAPI document that the server gives."""

    def __init__(self, contents):
        self.contents = contents
        resource = Resource(contents=contents, specification=DRAFT202012)
        self.registry = Registry().with_resource("urn:openapi", resource)
        self.paths = []
        for template in contents["paths"]:
            pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
            self.paths.append((template, re.compile(pattern)))
        # Those without a parameter win.
        self.paths.sort(key=lambda path: path[0].count("{"))

    def resolved(self, pointer):
        """The value at a pointer, and the pointer without references."""
        value = self.contents
        for part in pointer.lstrip("/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            value = value[int(key) if isinstance(value, list) else key]
        if isinstance(value, dict) and "$ref" in value:
            return self.resolved(value["$ref"].lstrip("#"))
        return value, pointer

    def operation(self, method, target):
        """The pointer of the operation that answers, or None."""
        path = urllib.parse.urlsplit(target).path
        for template, pattern in self.paths:
            if pattern.fullmatch(path):
                item = self.contents["paths"][template]
                name = method.lower()
                if name == "head" and "head" not in item:
                    name = "get"
                known = name if name in item else next(k for k in ("get", "post") if k in item)
                return f"/paths/{escaped(template)}/{known}", name in item
        return None, False

    def operations(self):
        for template, item in self.contents["paths"].items():
            for method, operation in item.items():
                if method in ("get", "put", "post", "delete", "patch", "head"):
                    yield f"/paths/{escaped(template)}/{method}", method, template, operation

    def errors(self, pointer, value):
        """What is wrong with a value, by the schema at a pointer."""
        validator = Draft202012Validator(
            {"$ref": f"urn:openapi#{QUOTE(pointer, safe='/~')}"},
            registry=self.registry,
            format_checker=Draft202012Validator.FORMAT_CHECKER,
        )
        return [message(error) for error in validator.iter_errors(value)]

    def parameters(self, operation):
        """The parameters of an operation, each with its pointer, by place and name."""
        found = {}
        for index in range(len(self.resolved(operation)[0].get("parameters", []))):
            parameter, pointer = self.resolved(f"{operation}/parameters/{index}")
            found[(parameter["in"], parameter["name"])] = (parameter, pointer)
        return found


# Apple's devices read it. It is no part of the API.
ASSOCIATION = "/.well-known/apple-app-site-association"


def described_target(method, target, headers, body):
    """The target whose operation describes a request: one with bodies of one kind, where a path accepts several."""
    path, mark, query = target.partition("?")
    kind = headers.get("Content-Type", "").split(";")[0]
    if (method, path) == ("POST", "/v1/match"):
        if kind == "application/json":
            path += ":continue" if body and b'"continuation"' in body else ":query"
        # Only an image has its details in the query.
        elif kind.startswith("image/") or kind == "application/octet-stream" or not kind and query:
            path += ":image"
    elif kind == "multipart/form-data" and (method, path) == ("POST", "/v1/feedback"):
        path += ":form"
    elif kind == "multipart/form-data" and method == "PUT" and re.fullmatch("/v1/entities/[^/]+/[^/]+", path):
        path += "/form"
    elif kind == "application/json" and (method, path) == ("POST", "/v1/fit/photos"):
        path += ":kept"
    return path + mark + query


def message(error):
    """The innermost reason, in a line."""
    best = error
    while best.context:
        best = max(best.context, key=lambda inner: len(inner.absolute_path))
    place = "/".join(str(part) for part in best.absolute_path) or "the value"
    return f"{place}: {best.message[:200]}"


# --- Answers ------------------------------------------------------------------------------------


class Answer:
    def __init__(self, status, headers, body, interim=()):
        self.status = status
        self.headers = headers
        self.body = body
        self.interim = list(interim)
        self.json = None

    def header(self, name):
        return self.headers.get(name)

    @property
    def media_type(self):
        return (self.header("Content-Type") or "").split(";")[0].strip().lower()


class RecordingResponse(http.client.HTTPResponse):
    """Remembers the interim responses before the answer."""

    interim = ()

    def _read_status(self):
        version, status, reason = super()._read_status()
        if status == 100:
            self.interim = [*self.interim, status]
        return version, status, reason


class Server:
    def __init__(self, base):
        parts = urllib.parse.urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            sys.exit(f"conformance.py: {base} is no http or https URL")
        self.secure = parts.scheme == "https"
        self.host = parts.hostname
        self.port = parts.port or (443 if self.secure else 80)
        self.name = parts.netloc
        self.prefix = parts.path.rstrip("/")

    def ask(self, method, target, headers, body):
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=TIMEOUT)
        try:
            connection.request(method, self.prefix + target, body=body, headers=headers)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def connect(self):
        plain = socket.create_connection((self.host, self.port), timeout=TIMEOUT)
        if not self.secure:
            return plain
        return ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)

    def head(self, method, target, headers):
        lines = [f"{method} {self.prefix}{target} HTTP/1.1", f"Host: {self.name}"]
        lines += [f"{name}: {value}" for name, value in headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def raw(self, sent, chunks=(), method="GET", after_continue=None):
        """Sends bytes as they are. `chunks` go out until the server answers."""
        with self.connect() as wire:
            try:
                wire.sendall(sent)
                for chunk in chunks:
                    if select.select([wire], [], [], 0)[0]:
                        break
                    wire.sendall(chunk)
            except (BrokenPipeError, ConnectionResetError):
                pass  # It may have answered before it had read everything.
            if after_continue is not None and self.is_continued(wire):
                wire.sendall(after_continue)
            response = RecordingResponse(wire, method=method)
            response.begin()
            body = response.read()
            return Answer(response.status, response.headers, body, response.interim)

    @staticmethod
    def is_continued(wire):
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            seen = wire.recv(64, socket.MSG_PEEK)
            if b"\n" in seen or not seen:
                return seen.startswith(b"HTTP/1.1 100")
            time.sleep(0.01)
        return False


# --- Checks -------------------------------------------------------------------------------------


class Suite:
    def __init__(self, server, keys):
        self.server = server
        self.key, self.write_key = keys
        self.document = None
        self.checks = 0
        self.failures = 0
        self.called = set()
        self.seen = set()

    def check(self, name, problems):
        """Counts one check; `problems` is a list of what is wrong."""
        self.checks += 1
        if problems:
            self.failures += 1
            print(f"FAIL  {name}: " + "; ".join(problems[:4]), flush=True)
        else:
            print(f"ok    {name}", flush=True)
        return not problems

    def group(self, calls, *arguments):
        """Makes some calls; an answer that breaks them is a failure, and the other groups go on."""
        try:
            return calls(self, *arguments)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            self.check(f"{calls.__name__} comes to its end", [repr(error)])
            return None

    def that(self, name, condition, reason="it does not hold"):
        return self.check(name, [] if condition else [reason])

    def call(
        self, name, method, target, status=200, body=None, headers=None, code=None, field=None,
        key="default", has=None, raw=None,
    ):
        """Makes a call and checks its answer against the document.

        status: one status or several. code, field: what the problem must say. has: a function of
        the answer that gives what is wrong with it. raw: a function that makes the call itself.
        """
        expected = (status,) if isinstance(status, int) else tuple(status)
        identifier = uuid.uuid4().hex
        sent = {"X-Request-ID": identifier, "Accept": "*/*", **(headers or {})}
        used = self.key if key == "default" else key
        if used:
            sent["Authorization"] = f"Bearer {used}"
        try:
            if raw is None:
                answer = self.server.ask(method, target, sent, body)
            else:
                answer = raw(sent)
        except (OSError, http.client.HTTPException) as error:
            self.check(name, [f"no answer: {error!r}"])
            return None
        problems = []
        if answer.status not in expected:
            wanted = " or ".join(map(str, expected))
            problems.append(f"status {answer.status}, not {wanted}{self.excerpt(answer)}")
        problems += self.general(answer, method, sent.get("X-Request-ID"))
        described = described_target(method, target, sent, body)
        problems += self.documented(answer, method, described)
        if described == target:
            self.called.add(self.document and self.document.operation(method, target)[0])
        if self.document is not None and answer.status < 300 and answer.status in expected:
            if body is not None and method in ("POST", "PUT", "PATCH"):
                problems += self.request_errors(method, described, sent, body)
            problems += self.parameter_errors(method, described)
        if code is not None:
            codes = (code,) if isinstance(code, str) else code
            found = (answer.json or {}).get("code") if isinstance(answer.json, dict) else None
            if found not in codes:
                problems.append(f"code {found!r}, not {' or '.join(codes)}")
        if field is not None:
            found = (answer.json or {}).get("field") if isinstance(answer.json, dict) else None
            if found != field:
                problems.append(f"field {found!r}, not {field!r}")
        if has is not None and answer.status in expected:
            try:
                problems += [text for text in has(answer) or [] if text]
            except (KeyError, IndexError, TypeError, AttributeError) as error:
                problems.append(f"the answer is not as it should be: {error!r}")
        self.check(name, problems)
        return answer

    @staticmethod
    def excerpt(answer):
        if "json" not in answer.media_type or not answer.body:
            return ""
        return " " + answer.body[:160].decode("utf-8", "replace")

    def general(self, answer, method, identifier):
        """What holds for every answer."""
        problems = []
        found = answer.header("X-Request-ID")
        if not found:
            problems.append("no X-Request-ID")
        # What stands behind a line that is too long is not read.
        elif identifier and found != identifier and answer.status not in (414, 431):
            problems.append(f"X-Request-ID {found!r} is not the one that was sent")
        if not answer.header("Server-Timing"):
            problems.append("no Server-Timing")
        if (method == "HEAD" or answer.status in (204, 304)) and answer.body:
            problems.append(f"{len(answer.body)} bytes of body where there is none")
        if method == "HEAD" or "json" not in answer.media_type or not answer.body:
            if answer.status >= 400 and method != "HEAD" and answer.media_type != PROBLEM:
                problems.append(f"an error as {answer.media_type or 'nothing'}, not {PROBLEM}")
            return problems
        unsorted = []

        def pairs(found):
            keys = [key for key, _ in found]
            if keys not in (sorted(keys), sorted(keys, key=str.lower)):
                unsorted.append(keys)
            if len(set(keys)) < len(keys):
                problems.append("a key is there twice")
            return dict(found)

        def constant(text):
            raise ValueError(f"{text} is no JSON")

        try:
            answer.json = json.loads(
                answer.body.decode("utf-8"), object_pairs_hook=pairs, parse_constant=constant)
        except ValueError as error:
            return problems + [f"no JSON: {error}"]
        is_document = isinstance(answer.json, dict) and "openapi" in answer.json
        if unsorted and not is_document:
            problems.append(f"keys are not sorted: {unsorted[0][:6]}")
        if answer.status >= 400:
            if answer.media_type != PROBLEM:
                problems.append(f"an error as {answer.media_type}, not {PROBLEM}")
            elif isinstance(answer.json, dict):
                if answer.json.get("status") != answer.status:
                    problems.append(f"the problem has the status {answer.json.get('status')}")
                if answer.json.get("requestId") != found:
                    problems.append("requestId is not X-Request-ID")
        return problems

    def documented(self, answer, method, target):
        """What the document does not say about an answer."""
        if self.document is None or method == "OPTIONS":
            return []
        operation, _ = self.document.operation(method, target)
        if operation is None:
            if target == ASSOCIATION:
                return []
            place = "/components/responses/NotFound" if answer.status == 404 else None
            if place is None:
                return [f"status {answer.status} of an unknown path"]
        else:
            self.seen.add((operation, str(answer.status)))
            responses, _ = self.document.resolved(operation + "/responses")
            if str(answer.status) not in responses:
                return [f"status {answer.status} is not documented"]
            place = f"{operation}/responses/{answer.status}"
        response, place = self.document.resolved(place)
        problems = []
        for name in response.get("headers", {}):
            header, header_place = self.document.resolved(f"{place}/headers/{escaped(name)}")
            value = answer.header(name)
            if value is None:
                if header.get("required"):
                    problems.append(f"no {name}")
            else:
                problems += [
                    f"{name} {text}" for text in self.document.errors(header_place + "/schema", value)]
        contents = response.get("content", {})
        if method == "HEAD" and not answer.media_type:
            return problems
        if not contents:
            if answer.body:
                problems.append("a body that is not documented")
            return problems
        if answer.media_type not in contents:
            return problems + [f"Content-Type {answer.media_type!r} is not documented"]
        content = contents[answer.media_type]
        if method == "HEAD" or "schema" not in content:
            return problems
        if answer.media_type == "application/x-ndjson" or answer.media_type.startswith("text/"):
            value = answer.body.decode("utf-8", "replace")
        elif "json" in answer.media_type:
            value = answer.json
        else:
            return problems
        schema = f"{place}/content/{escaped(answer.media_type)}/schema"
        return problems + self.document.errors(schema, value)

    def request_errors(self, method, target, headers, body):
        """Where a JSON request that was accepted is not as the document wants it."""
        operation, _ = self.document.operation(method, target)
        media_type = headers.get("Content-Type", "").split(";")[0]
        if media_type.startswith("image/"):
            media_type = "application/octet-stream"
        contents = self.document.resolved(operation + "/requestBody/content")[0]
        if media_type not in contents:
            return [f"the request's {media_type!r} is not documented, but accepted"]
        if media_type not in ("application/json", "application/merge-patch+json"):
            return []
        schema = f"{operation}/requestBody/content/{escaped(media_type)}/schema"
        return [f"request: {text}" for text in self.document.errors(schema, json.loads(body))]

    def parameter_errors(self, method, target):
        """Where parameters that were accepted are not as the document wants them."""
        operation, is_known = self.document.operation(method, target)
        if not is_known:
            return []
        known = self.document.parameters(operation)
        values = {}
        for pair in filter(None, urllib.parse.urlsplit(target).query.split("&")):
            name, _, value = pair.partition("=")
            values.setdefault(urllib.parse.unquote_plus(name), []).append(value)
        problems = []
        for name, texts in values.items():
            if ("query", name) not in known:
                problems.append(f"parameter {name} is not documented, but accepted")
                continue
            parameter, place = known[("query", name)]
            schema, _ = self.document.resolved(f"{place}/schema")
            plain = urllib.parse.unquote_plus
            if schema.get("type") == "array":
                split = not parameter.get("explode", True)
                value = [
                    plain(part) for text in texts for part in (text.split(",") if split else [text])]
            elif schema.get("type") in ("integer", "number", "boolean"):
                value = json.loads(plain(texts[0]))
            else:
                value = plain(texts[0])
            problems += [f"{name}: {text}" for text in self.document.errors(f"{place}/schema", value)]
        return problems

    def post(self, name, target, value, status=200, **more):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        headers = {"Content-Type": "application/json", **more.pop("headers", {})}
        return self.call(name, "POST", target, status, body, headers, **more)

    def picture(self, name, query, body, status=200, media_type="image/jpeg", **more):
        target = "/v1/match" + (f"?{query}" if query else "")
        headers = {"Content-Type": media_type, **more.pop("headers", {})}
        return self.call(name, "POST", target, status, body, headers, **more)

    def finish(self):
        seen = self.seen
        if self.document is not None:
            print("\nDocumented, but not seen:")
            for place, method, template, operation in self.document.operations():
                if place not in self.called:
                    self.check(f"{method.upper()} {template} is called", ["no call was made"])
                missing = [code for code in operation["responses"] if (place, code) not in seen]
                if missing:
                    print(f"      {method.upper()} {template}: {' '.join(missing)}")
        print(f"{self.checks} checks, {self.failures} failures")
        return 1 if self.failures else 0


# --- Pictures and forms -------------------------------------------------------------------------


def chunk(kind, contents):
    return (
        struct.pack(">I", len(contents)) + kind + contents
        + struct.pack(">I", zlib.crc32(kind + contents)))


def png(width, height, pixels=None):
    """A PNG with three bytes a pixel."""
    if pixels is None:
        rows = b"".join(
            b"\0" + b"".join(
                bytes((x * 255 // width, y * 255 // height, (x ^ y) & 255)) for x in range(width))
            for y in range(height))
        pixels = zlib.compress(rows, 9)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def jpeg_size(data):
    """Width and height of a JPEG, or None."""
    if data[:2] != b"\xff\xd8":
        return None
    place = 2
    while place + 9 <= len(data):
        if data[place] != 0xFF:
            return None
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
            continue
        length = struct.unpack(">H", data[place + 2:place + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5:place + 9])
            return width, height
        place += 2 + length
    return None


def form(*parts):
    """The body and the type of a form; a part is a name, a file name or None, a type, bytes."""
    boundary = "conformance-" + uuid.uuid4().hex
    body = b""
    for name, file, media_type, contents in parts:
        disposition = f'form-data; name="{name}"' + (f'; filename="{file}"' if file else "")
        body += (
            f"--{boundary}\r\nContent-Disposition: {disposition}\r\n"
            f"Content-Type: {media_type}\r\n\r\n").encode() + contents + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def altered(token):
    """The token with one character in its middle changed."""
    middle = len(token) // 2
    return token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1:]


def names(values):
    return [f"{value['type']}:{value['id']}" for value in values]


def is_first(wanted):
    def check(answer):
        found = names(answer.json["values"])
        return [] if found[:1] == [wanted] else [f"the first match is {found[:1]}, not {wanted}"]

    return check


def expect(condition, reason):
    return [] if condition else [reason]


# --- The calls ----------------------------------------------------------------------------------


def check_document(suite):
    answer = suite.call("openapi.json", "GET", "/openapi.json", key=None)
    if answer is None or not isinstance(answer.json, dict) or answer.status != 200:
        return False
    suite.document = Document(answer.json)
    document = suite.document
    suite.call("openapi.json is as it says itself", "GET", "/openapi.json", key=None)
    problems = []
    for name, schema in answer.json["components"]["schemas"].items():
        try:
            Draft202012Validator.check_schema(schema)
        except Exception as error:
            problems.append(f"{name}: {error}")
    suite.check("the document's schemas are schemas", problems)
    problems = []
    count = 0

    def walk(value, pointer):
        nonlocal count
        if isinstance(value, dict):
            if "schema" in value and isinstance(value.get("examples"), dict):
                for key, example in value["examples"].items():
                    if "value" in example:
                        count += 1
                        problems.extend(
                            f"{pointer} {key}: {text}"
                            for text in document.errors(pointer + "/schema", example["value"]))
            for key, inner in value.items():
                walk(inner, f"{pointer}/{escaped(key)}")

    walk(answer.json["paths"], "/paths")
    suite.check(f"the document's {count} examples fit their schemas", problems)
    suite.call("HEAD openapi.json", "HEAD", "/openapi.json", key=None)
    return True


def check_plain_routes(suite):
    def is_ok(answer):
        return expect(answer.body.strip() == b"ok", f"the body is {answer.body[:20]!r}")

    for path in ("/livez", "/readyz"):
        suite.call(path, "GET", path, key=None, has=is_ok)
        suite.call(f"HEAD {path}", "HEAD", path, key=None)

    def is_metrics(answer):
        line = re.compile(
            r'(#.*|[a-zA-Z_:][\w:]*(\{.*\})? (-?[0-9.]+([eE][-+]?[0-9]+)?|NaN|[-+]Inf)( -?\d+)?)?')
        bad = [text for text in answer.body.decode().splitlines() if not line.fullmatch(text)]
        version = "version=0.0.4" in (answer.header("Content-Type") or "")
        return (
            expect(not bad, f"{bad[:1]} is no metric") + expect(answer.body.strip(), "it is empty")
            + expect(version, "the Content-Type has no version=0.0.4"))

    suite.call("metrics", "GET", "/metrics", key=suite.write_key, has=is_metrics)
    suite.call("HEAD metrics", "HEAD", "/metrics", key=suite.write_key)
    if suite.key is not None:
        suite.call("metrics with a key that may only read", "GET", "/metrics", 403)
    site = suite.call("app site association", "GET", ASSOCIATION, (200, 404), key=None)
    if site is not None:
        suite.call("HEAD app site association", "HEAD", ASSOCIATION, site.status, key=None)
    limits = suite.call("limits", "GET", "/v1/limits")
    suite.call("HEAD limits", "HEAD", "/v1/limits")
    suite.call(
        "limits with a parameter", "GET", "/v1/limits?x=1", 400, code="invalidParameter", field="x")
    return limits.json if limits is not None and limits.status == 200 else None


def check_match(suite, photo):
    small = png(96, 64)
    query = "labels=box&deadlineMs=10000"

    def found(answer):
        first = answer.json["values"][0]
        return is_first("product:oats")(answer) + expect(
            first.get("product", {}).get("title") == "Honey oats", "its title is not Honey oats")

    suite.picture("match a JPEG", query, photo, has=found)
    suite.picture("match a JPEG that is called PNG", query, photo, media_type="image/png", has=found)
    suite.picture("match a JPEG without parameters", "", photo)
    suite.picture(
        "match with every parameter",
        "labels=box,cereal&labels=food&limit=5&products=3&stores=2&minConfidence=0.5&subject=catalogued&answers=sure&similar=true"
        "&deadlineMs=10000&group=true&region=0,0,1,1&where=price%3C20&where=brand%3DNorthlight"
        "&withLabel=cereal,store&near=50.94,6.96&at=2026-05-09T10:30:00Z&locale=de&text=in%20green", photo)

    def with_stores(answer):
        stores = [v for v in answer.json["values"] if v["type"] == "store"]
        return expect(stores, "no store") + expect(
            all("distanceMeters" in v and "openNow" in v for v in stores),
            "a store has no distanceMeters or openNow")

    suite.picture(
        "match stores near a place", query + "&near=50.94,6.96&at=2026-05-09T10:30:00%2B02:00",
        photo, has=with_stores)
    def grouped(answer):
        products = [v for v in answer.json["values"] if v["type"] == "product"]
        groups = [v["product"].get("group") for v in products]
        mugs = next((v for v in products if v["product"].get("group") == "camp-mug"), {})
        return expect(len(set(groups)) == len(groups), f"a group is repeated among {groups}") + expect(
            len(mugs.get("variants", [])) == 3, "the other mugs are not beneath one")

    suite.post(
        "match labels, one match for each group", "/v1/match",
        {"labels": ["mug"], "group": True, "type": "product", "deadlineMs": 10000}, has=grouped)
    suite.picture(
        "match only stores", query + "&type=store", photo,
        has=lambda a: expect(
            a.json["values"] and all(v["type"] == "store" for v in a.json["values"]), "not only stores"))
    suite.picture(
        "match only products", query + "&type=product", photo,
        has=lambda a: is_first("product:oats")(a) + expect(
            all(v["type"] == "product" for v in a.json["values"]), "not only products"))

    def in_german(answer):
        title = answer.json["values"][0]["display"]["title"]
        return expect(title == "Honig-Haferflocken", f"the title is {title}")

    suite.picture("match in a language", query + "&locale=de-CH", photo, has=in_german)
    suite.picture(
        "match with Accept-Language", query, photo, has=in_german,
        headers={"Accept-Language": "fr;q=0.2, de;q=0.9"})
    suite.picture("match a region in shares", query + "&region=0.05,0,0.8,1", photo, has=found)
    suite.picture("match a region in pixels", query + "&region=50,0,800,750", photo, has=found)
    suite.picture("match with a condition", query + "&where=price%3E100", photo)
    suite.picture("match a PNG", "deadlineMs=10000", small, media_type="image/png")
    suite.picture("match a PNG of one pixel", "", png(1, 1), media_type="image/png")

    details = json.dumps({"labels": ["box"], "deadlineMs": 10000}).encode()
    image = ("image", "oats.jpg", "image/jpeg", photo)
    request = ("request", None, "application/json", details)

    def send_form(name, status, *parts, **more):
        body, media_type = form(*parts)
        suite.picture(name, "", body, status, media_type, **more)

    send_form("match a form", 200, image, request, has=found)
    send_form("match a form, the details first", 200, request, image, has=found)
    send_form("match a form with a picture only", 200, image)
    send_form("match a form with a PNG", 200, ("image", "a.png", "image/png", small))
    send_form("match a form with details only", 200, request)
    send_form("an empty form", 400)
    send_form(
        "a form with an unknown field", 400, image,
        ("request", None, "application/json", b'{"label":["box"]}'), code="invalidField", field="label")
    send_form(
        "a form with malformed details", 400, image, ("request", None, "application/json", b'{"labels":'))
    send_form("a form with a HEIC picture", 415, ("image", "a.heic", "image/heic", heic()))
    body, _ = form(image)
    suite.picture("a form without boundary", "", body, (400, 415), "multipart/form-data")
    body, media_type = form(image, request)
    suite.picture("a form that ends too early", "", body[:-200], (400, 422), media_type)
    suite.picture("a form with a query parameter", "limit=3", body, 400, media_type, field="limit")

    examples = suite.document.resolved("/paths/~1v1~1match:query/post/requestBody/content")[0]
    examples = examples["application/json"]["examples"]
    suite.post("match labels", "/v1/match", {"labels": ["cereal", "box"], "deadlineMs": 1000})
    suite.post("match labels, on the path for JSON", "/v1/match:query", {"labels": ["cereal", "box"]})
    suite.post("an image on the path for JSON", "/v1/match:query", photo, 415, headers={"Content-Type": "image/jpeg"})
    suite.call("match an image, on the path for images", "POST", "/v1/match:image?labels=box&limit=3", 200, photo,
               {"Content-Type": "application/octet-stream"}, has=found)
    suite.post("JSON on the path for images", "/v1/match:image", {"labels": ["box"]}, 415)
    suite.post("no continuation on its path", "/v1/match:continue", {"labels": ["box"]}, 400, field="continuation")
    suite.post("match unknown labels", "/v1/match", {"labels": ["nonsense"]}, has=lambda a: (
        expect(a.json["values"] == [] and a.json["emptyReason"], "no emptyReason")
        + expect(a.json["unmatchedLabels"] == ["nonsense"], "the label is not among unmatchedLabels")))
    suite.post("match the document's example with labels", "/v1/match", examples["labels"]["value"])
    suite.post("match the document's example with stores", "/v1/match", examples["stores"]["value"])
    suite.post(
        "match a signature", "/v1/match", examples["signature"]["value"], has=is_first("product:oats"))
    embedded = {**examples["signature"]["value"], "embedding": {"model": "drawn", "vector": "ADwAwABC"}}
    suite.post("match a signature with an embedding", "/v1/match", embedded, has=lambda a: expect(
        a.json["embeddingCompared"] is False and a.json["values"][0]["id"] == "oats", "the embedding was compared with nothing"))
    suite.post("match with every field", "/v1/match", {
        "labels": ["cereal"], "limit": 5, "products": 3, "stores": 2, "minConfidence": 0,
        "deadlineMs": 1000, "where": ["price<20"], "withLabel": ["cereal", "store"],
        "near": {"latitude": 50.94, "longitude": 6.96}, "at": "2026-05-09T10:30:00Z",
        "locale": "de"})

    page = suite.picture("match one of several", query + "&limit=1", photo, has=lambda a: (
        expect(a.json["hasMore"] is True, "hasMore is not true")
        + expect(a.json["continuation"], "no continuation") + is_first("product:oats")(a)))
    token = (page.json or {}).get("continuation") if page is not None and page.json else None
    if token:
        suite.post(
            "continue", "/v1/match", {"continuation": token, "limit": 2, "deadlineMs": 10000},
            has=lambda a: expect(
                a.json["values"] and "product:oats" not in names(a.json["values"]),
                "no match, or the first one again"))
        suite.post("continue alone", "/v1/match", {"continuation": token})
        suite.post("continue, on the path for it", "/v1/match:continue", {"continuation": token})
        suite.post("a continuation on the path of questions", "/v1/match:query", {"continuation": token}, 400, field="continuation")
        suite.post(
            "continue from the start", "/v1/match", {"continuation": token, "fromStart": True},
            has=is_first("product:oats"))
        suite.post(
            "continue with a new search", "/v1/match",
            {"continuation": token, "refresh": True, "deadlineMs": 10000},
            has=lambda a: expect("product:oats" not in names(a.json["values"]), "the first one again"))
        suite.post(
            "an altered continuation", "/v1/match", {"continuation": altered(token)}, 422,
            code="invalidToken")
        suite.post(
            "a continuation beside labels", "/v1/match", {"continuation": token, "labels": ["box"]},
            400)
    else:
        suite.check("continue", ["there is no continuation to continue"])


def heic():
    return b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(range(256)) * 4


def check_match_errors(suite, photo):
    def found(wanted):
        return lambda a: expect(
            wanted.lower() in str(a.json.get("found", "")).lower(),
            f"found is {a.json.get('found')!r}, not {wanted}")

    for media_type in ("image/jpeg", "image/heic"):
        suite.picture(
            f"HEIC as {media_type}", "", heic(), 415, media_type, code="unsupportedFormat",
            has=found("HEIC"))
    suite.picture("GIF as JPEG", "", b"GIF89a" + bytes(64), 415, code="unsupportedFormat", has=found("GIF"))
    suite.picture("text as JPEG", "", b"This is no picture at all.", 415)
    suite.picture("a body of plain text", "", b"labels", 415, "text/plain")
    suite.call("a body without a type", "POST", "/v1/match", (400, 415), b"\1\2\3")
    for media_type, body in (("image/jpeg", photo), ("application/json", b'{"labels":["mug"]}')):
        suite.call(
            f"{media_type} with a coding", "POST", "/v1/match", 415, gzip.compress(body),
            {"Content-Type": media_type, "Content-Encoding": "gzip"}, code="unsupportedCoding", field="Content-Encoding")
    suite.picture("a truncated JPEG", "", photo[: len(photo) // 2], 422, code="truncated")
    suite.picture(
        "a truncated JPEG, searched with its part", "tolerant=true", photo[: len(photo) * 9 // 10],
        has=lambda a: expect(a.json.get("damage", {}).get("code") == "truncated", "no damage is told"))
    suite.picture("a JPEG without its end marker", "", photo[:-2],
                  has=lambda a: expect("damage" not in a.json, "damage is told"))
    suite.picture("a JPEG that ends in its head", "", photo[:40], 422, code=("truncated", "corrupt"))
    suite.picture("an empty picture", "", b"", 422, code="empty")
    whole = png(32, 32)
    broken = bytearray(whole)
    broken[60] ^= 0xFF
    suite.picture(
        "a corrupt PNG", "", bytes(broken), 422, "image/png", code=("corrupt", "truncated"))
    suite.picture(
        "a truncated PNG", "", whole[:-40], 422, "image/png", code=("truncated", "corrupt"))
    suite.picture(
        "a picture of too many pixels", "", png(60000, 60000, zlib.compress(bytes(1000))), 422,
        "image/png", code=("tooManyPixels", "tooMuchWork"))
    suite.picture("a region outside", "region=5000,5000,10,10", photo, 422, code="regionOutside")
    suite.picture(
        "a condition on a property of no known form", "where=pr%22ice%3D1", photo, 422,
        code="invalidFilter")
    suite.picture("a condition without operator", "where=price", photo, (400, 422))

    wrong = [
        ("limit", "0"), ("limit", "101"), ("limit", "x"), ("limit", "1.5"), ("limit", ""),
        ("limit", "99999999999999999999"), ("products", "-1"), ("products", "101"), ("stores", "101"),
        ("minConfidence", "1.5"), ("minConfidence", "-0.1"), ("minConfidence", "nan"),
        ("deadlineMs", "0"), ("deadlineMs", "3600001"), ("type", "shop"), ("subject", "all"), ("answers", "unsure"), ("similar", "2"), ("text", "a" * 201), ("tolerant", "2"), ("region", "1,2,3"),
        ("region", "0,0,0,1"), ("region", "-1,0,1,1"), ("region", "a,b,c,d"), ("near", "91,0"),
        ("near", "0,181"), ("near", "1"), ("near", "nan,0"), ("at", "yesterday"), ("locale", "-"),
        ("locale", "d%20e"), ("labels", ",".join(f"l{n}" for n in range(65))), ("foo", "1"),
    ]
    for name, value in wrong:
        suite.picture(
            f"the parameter {name}={value[:24]}", f"{name}={value}", photo, 400,
            code="invalidParameter", field=name)
    suite.picture("a query that is not well encoded", "labels=%ZZ", photo, 400)
    suite.picture("a query that is no UTF-8", "labels=%FF%FE", photo, 400)

    bodies = [
        ("malformed JSON", b'{"labels":', None), ("no JSON", b"labels", None),
        ("an empty body", b"", None), ("JSON that is a list", b"[]", None),
        ("JSON that is null", b"null", None), ("an empty object", b"{}", None),
        ("JSON behind JSON", b'{"labels":["a"]}{}', None),
        ("JSON that is no UTF-8", b'{"labels":["\xff"]}', None),
        ("deeply nested JSON", b'{"labels":' + b"[" * 20000 + b"]" * 20000 + b"}", None),
        ("an unknown field", b'{"labels":["a"],"foo":1}', "foo"),
        ("labels that are a text", b'{"labels":"box"}', "labels"),
        ("labels that are numbers", b'{"labels":[1]}', "labels"),
        ("no labels", b'{"labels":[]}', None),
        ("a limit of 0", b'{"labels":["a"],"limit":0}', "limit"),
        ("a limit that is a text", b'{"labels":["a"],"limit":"8"}', "limit"),
        ("a limit that is no integer", b'{"labels":["a"],"limit":1.5}', "limit"),
        ("a limit out of all bounds", b'{"labels":["a"],"limit":1e400}', None),
        ("an unknown type", b'{"labels":["a"],"type":"shop"}', "type"),
        ("a region of three numbers", b'{"labels":["a"],"region":[0,0,1]}', "region"),
        ("a place outside the globe", b'{"labels":["a"],"near":{"latitude":91,"longitude":0}}', None),
        ("half a place", b'{"labels":["a"],"near":{"latitude":1}}', None),
        ("no time", b'{"labels":["a"],"at":"soon"}', "at"),
        ("no language", b'{"labels":["a"],"locale":"-"}', "locale"),
        ("a label that is too long", json.dumps({"labels": ["a" * 101]}).encode(), "labels"),
        ("a label of one long character", json.dumps({"labels": ["\u1100" * 40000]}).encode(), "labels"),
        ("a condition that is too long", json.dumps({"labels": ["a"], "where": ["a=" + "a" * 1000]}).encode(), "where"),
        ("too many words", json.dumps({"labels": ["a"], "where": ["title=" + "a" * 900] * 20}).encode(), None),
        ("a token that is too long", json.dumps({"continuation": "A" * 200_000}).encode(), "continuation"),
        ("65 labels", json.dumps({"labels": [f"l{n}" for n in range(65)]}).encode(), "labels"),
    ]
    for name, body, field in bodies:
        suite.post(name, "/v1/match", body, 400, field=field)
    shapes = [
        ("17 levels", b'{"labels":' + b"[" * 17 + b"]" * 17 + b"}"),
        ("16385 values", b'{"labels":[' + b"1," * 16384 + b"1]}"),
        ("a name of 257 bytes", b'{"' + b"a" * 257 + b'":1}'),
        ("a name of accents", json.dumps({"a" + "\u0301\u0316" * 30000: 1}, ensure_ascii=False).encode()),
    ]
    for name, body in shapes:
        suite.post(f"JSON of {name}", "/v1/match", body, 400, code="invalidJSON")
        suite.post(f"JSON of {name} for a query", "/v1/entities:query", body, 400, code="invalidJSON")
    suite.post("an unknown name is given back in part", "/v1/match", {"a" * 256: 1}, 400, has=lambda a: expect(
        len(a.body) < 500, f"the answer has {len(a.body)} bytes"))
    suite.post("JSON with a query parameter", "/v1/match?limit=3", {"labels": ["a"]}, 400, field="limit")
    suite.post(
        "a signature that is none", "/v1/match", {"signature": "AAAA"}, 422, code="invalidSignature")
    suite.post(
        "a condition on a property of no known form in JSON", "/v1/match",
        {"labels": ["a"], "where": ['pr"ice=1']}, 422, code="invalidFilter")


def get_tagged(suite, name, target, **more):
    """A GET of a route with an ETag, a HEAD, and the conditions on it."""
    answer = suite.call(name, "GET", target, **more)
    if answer is None or answer.status != 200:
        return answer
    tag = answer.header("ETag") or ""
    problems = expect(re.fullmatch(r'"[^"]+"', tag), f"the ETag {tag!r} is not a strong one")
    problems += expect(
        answer.header("Cache-Control") == "private, no-cache", "Cache-Control is not private, no-cache")
    problems += expect("accept-language" in (answer.header("Vary") or "").lower(), "Vary has no Accept-Language")
    suite.check(f"{name}: ETag, Cache-Control, Vary", problems)

    def same_tag(other):
        return expect(other.header("ETag") == tag, "the ETag is another one")

    suite.call(f"{name}: HEAD", "HEAD", target, has=lambda a: same_tag(a) + expect(
        a.header("Content-Length") in (None, str(len(answer.body))), "Content-Length is another one"))
    for text, value in (
        ("the same", tag), ("one of two", f'"x", {tag}'), ("a weak one", f"W/{tag}"), ("any", "*"),
    ):
        suite.call(
            f"{name}: If-None-Match {text}", "GET", target, 304, headers={"If-None-Match": value},
            has=same_tag)
    suite.call(f"{name}: If-None-Match another", "GET", target, headers={"If-None-Match": '"x"'})
    return answer


def check_entities(suite):
    def are(*wanted):
        return lambda a: expect(
            names(a.json["entities"]) == list(wanted), f"found {names(a.json['entities'])[:4]}")

    get_tagged(
        suite, "entities by ids", "/v1/entities?ids=store:market,product:none,product:oats",
        has=are("store:market", "product:oats"))
    suite.call(
        "entities by encoded ids", "GET", "/v1/entities?ids=product%3Aoats,store%3Amarket",
        has=are("product:oats", "store:market"))
    suite.call("an id with a comma", "GET", "/v1/entities?ids=product:a%2Cb", has=are())
    get_tagged(suite, "entities by text", "/v1/entities?q=honey%20oats&type=product&limit=3", has=are("product:oats"))
    suite.call("entities by text with +", "GET", "/v1/entities?q=honey+oats", has=are("product:oats"))
    suite.call("entities by a text that nothing has", "GET", "/v1/entities?q=zzzzzz", has=are())

    def in_german(answer):
        entity = answer.json.get("entity") or answer.json["entities"][0]
        title = entity["display"]["title"]
        return expect(title == "Honig-Haferflocken", f"the title is {title}")

    suite.call("entities in a language", "GET", "/v1/entities?ids=product:oats&locale=de", has=in_german)
    suite.call(
        "entities with Accept-Language", "GET", "/v1/entities?ids=product:oats", has=in_german,
        headers={"Accept-Language": "de"})
    suite.call(
        "locale wins over Accept-Language", "GET", "/v1/entities/product/oats?locale=de",
        has=in_german, headers={"Accept-Language": "en"})
    for name, query, field in (
        ("neither ids nor q", "", None), ("ids and q", "?ids=product:oats&q=oats", None),
        ("an id without type", "?ids=oats", "ids"), ("an id of no known type", "?ids=shop:oats", "ids"),
        ("a limit of 0", "?q=oats&limit=0", "limit"), ("a limit of 1001", "?q=oats&limit=1001", "limit"),
        ("an unknown type", "?q=oats&type=shop", "type"), ("an unknown parameter", "?q=oats&foo=1", "foo"),
        ("no language", "?q=oats&locale=-", "locale"),
    ):
        suite.call(f"entities: {name}", "GET", "/v1/entities" + query, 400, field=field)
    many = ",".join("product:a" for _ in range(1001))
    suite.call("entities: too many ids", "GET", f"/v1/entities?ids={many}", (400, 414))

    get_tagged(
        suite, "suggested entities", "/v1/entities/suggested",
        has=lambda a: expect(0 < len(a.json["entities"]) <= 10, "none, or more than 10"))
    suite.call(
        "suggested products", "GET", "/v1/entities/suggested?type=product&limit=2&locale=de",
        has=lambda a: expect(
            [e["type"] for e in a.json["entities"]] == ["product"] * 2, "not two products"))
    suite.call(
        "suggested: a limit of 0", "GET", "/v1/entities/suggested?limit=0", 400, field="limit")
    suite.call("suggested: an unknown parameter", "GET", "/v1/entities/suggested?q=a", 400, field="q")

    target = "/v1/entities/product/oats"
    answer = suite.call("an entity with an image", "GET", target)
    image = answer.json["entity"]["display"]["image"]
    kept = ("private" if suite.key else "public") + ", max-age=31536000, immutable"
    suite.call("the image of an entity", "GET", image, has=lambda a: (
        expect(a.header("Cache-Control") == kept, a.header("Cache-Control"))
        + expect(max(jpeg_size(a.body) or (0,)) <= 480, "it is too large")))
    suite.call("a whole screen's image", "GET", image.replace("size=large", "size=extraLarge"), has=lambda a: (
        expect(a.header("Cache-Control") == kept, a.header("Cache-Control"))))
    suite.call("an image of another tag", "GET", image[:-1] + ".", has=lambda a: (
        expect(a.header("Cache-Control") == "private, no-cache", a.header("Cache-Control"))))
    get_tagged(suite, "an entity", target, has=lambda a: (
        expect(a.json["entity"]["product"]["price"] == {"amount": "3.60", "currency": "EUR"}, "another price")
        + expect(a.json["entity"]["id"] == "oats", "another id")))
    suite.call("a store", "GET", "/v1/entities/store/market", has=lambda a: expect(
        "store" in a.json["entity"] and "product" not in a.json["entity"], "it is no store"))
    suite.call("an encoded id", "GET", "/v1/entities/product/%6Fats")
    for path in ("product/none", "store/oats", "product/a%2Fb", "product/%2E%2E"):
        suite.call(f"the unknown entity {path}", "GET", "/v1/entities/" + path, 404, code="unknownEntity")
    for path in ("product/none", "product/none/thumbnail", "product/oats/thumbnail?image=99"):
        suite.call(
            f"If-None-Match of {path}, which does not exist", "GET", "/v1/entities/" + path, 404,
            headers={"If-None-Match": "*"})
    suite.call("HEAD of an unknown entity", "HEAD", "/v1/entities/product/none", 404)
    suite.call("an entity of no known type", "GET", "/v1/entities/shop/oats", (400, 404))
    suite.call("an entity with an unknown parameter", "GET", target + "?x=1", 400, field="x")

    def is_small(side):
        def check(answer):
            size = jpeg_size(answer.body)
            return expect(size and max(size) <= side, f"the size is {size}, not at most {side}")

        return check

    get_tagged(suite, "a thumbnail", target + "/thumbnail", has=is_small(160))
    suite.call("a small thumbnail", "GET", target + "/thumbnail?size=small&image=0", has=is_small(160))
    get_tagged(suite, "a large thumbnail", target + "/thumbnail?size=large", has=lambda a: (
        is_small(480)(a) + expect(max(jpeg_size(a.body) or (0,)) > 160, "it is small")))
    suite.call("a thumbnail of a PNG", "GET", "/v1/entities/product/candle/thumbnail", (200, 404), has=lambda a: (
        is_small(160)(a) if a.status == 200 else []))
    suite.call("a thumbnail that is not there", "GET", target + "/thumbnail?image=99", 404, code="noPicture")
    suite.call(
        "a thumbnail of an unknown entity", "GET", "/v1/entities/product/none/thumbnail", 404,
        code="unknownEntity")
    for query, field in (("size=huge", "size"), ("image=-1", "image"), ("image=x", "image"), ("x=1", "x")):
        suite.call(f"a thumbnail with {query}", "GET", f"{target}/thumbnail?{query}", 400, field=field)


def check_query(suite):
    path = "/v1/entities:query"

    def condition(comparison, value, property="price", **more):
        return {"comparators": [{"property": property, "comparison": comparison, "value": value, **more}]}

    has_oats = lambda a: expect("product:oats" in names(a.json["entities"]), "the oats are not there")
    has_none = lambda a: expect("product:oats" not in names(a.json["entities"]), "the oats are there")
    for comparison, value, property, check in (
        ("equalTo", 3.6, "price", has_oats), ("equalTo", "3.60", "price", has_oats),
        ("equalTo", "cereal", "labels", has_oats), ("notEqualTo", "oats", "id", has_none),
        ("lessThan", 3.7, "price", has_oats), ("lessThan", "3.7", "price", has_oats),
        ("lessThanOrEqualTo", 3.6, "price", has_oats), ("greaterThan", 3.6, "price", has_none),
        ("greaterThanOrEqualTo", 3.6, "price", has_oats), ("contains", "OATS", "title", has_oats),
        ("hasPrefix", "honey", "title", has_oats), ("hasSuffix", "grain", "subtitle", has_oats),
    ):
        suite.post(
            f"entities where {property} {comparison} {value!r}", path,
            {**condition(comparison, value, property), "limit": 1000}, has=check)
    suite.post("entities between", path, condition("isBetween", 3, upperValue=4), has=has_oats)
    contents = suite.document.resolved("/paths/~1v1~1entities:query/post/requestBody/content")[0]
    for name, example in contents["application/json"]["examples"].items():
        suite.post(f"entities: the document's example {name}", path, example["value"])

    def is_ordered(answer):
        prices = [float(e["product"]["price"]["amount"]) for e in answer.json["entities"]]
        return expect(prices and prices == sorted(prices, reverse=True), f"the prices are {prices[:4]}")

    suite.post("entities with everything", path, {
        "type": "product", "mode": "or", "limit": 5, "locale": "de",
        "comparators": [
            {"property": "price", "comparison": "lessThan", "value": 20},
            {"property": "brand", "comparison": "equalTo", "value": "Northlight"}],
        "sortedBy": [{"property": "price", "order": "descending"}, {"property": "title", "order": "ascending"}],
    }, has=is_ordered)
    suite.post("entities without conditions", path, {"comparators": [], "limit": 2}, has=lambda a: expect(
        len(a.json["entities"]) == 2, "not two"))
    one = {"property": "price", "comparison": "equalTo", "value": 1}
    for name, body, status in (
        ("an unknown field", {"comparators": [], "foo": 1}, 400),
        ("an unknown field of a condition", {"comparators": [{**one, "foo": 1}]}, 400),
        ("an unknown comparison", {"comparators": [{**one, "comparison": "like"}]}, (400, 422)),
        ("a condition without value", {"comparators": [{"property": "price", "comparison": "equalTo"}]}, (400, 422)),
        ("a value that is a list", {"comparators": [{**one, "value": [1]}]}, (400, 422)),
        ("upperValue without isBetween", {"comparators": [{**one, "upperValue": 2}]}, (400, 422)),
        ("isBetween without upperValue", {"comparators": [{**one, "comparison": "isBetween"}]}, (400, 422)),
        ("an unknown mode", {"comparators": [one], "mode": "xor"}, 400),
        ("an unknown order", {"comparators": [], "sortedBy": [{"property": "price", "order": "up"}]}, 400),
        ("a limit of 0", {"comparators": [], "limit": 0}, 400),
        ("a limit of 1001", {"comparators": [], "limit": 1001}, 400),
        ("an unknown type", {"comparators": [], "type": "shop"}, 400),
        ("malformed JSON", b'{"comparators":[', 400),
    ):
        suite.post(f"entities query: {name}", path, body, status)
    suite.post(
        "entities query: a property of no known form", path,
        {"comparators": [{**one, "property": 'pr"ice'}]}, 422, code="invalidFilter")
    suite.post("entities query: a parameter", path + "?limit=1", {"comparators": []}, 400, field="limit")
    suite.call(
        "entities query: plain text", "POST", path, 415, b"price<20", {"Content-Type": "text/plain"})


def check_lists(suite):
    """Entities by many ids, and all of them page by page."""
    path = "/v1/entities:resolve"
    contents = suite.document.resolved("/paths/~1v1~1entities:resolve/post/requestBody/content")[0]
    for name, example in contents["application/json"]["examples"].items():
        suite.post(f"resolve: the document's example {name}", path, example["value"])
    suite.post(
        "resolve: ids in their order", path, {"ids": ["store/market", "product/none", "product:oats"]},
        has=lambda a: (
            expect(names(a.json["entities"]) == ["store:market", "product:oats"], "another order")
            + expect(a.json["missing"] == ["product/none"], f"missing is {a.json['missing']}")))
    for name, body in (
        ("no ids", {}), ("an empty list", {"ids": []}), ("no type", {"ids": ["oats"]}),
        ("too many ids", {"ids": ["product/a"] * 1001}), ("a number", {"ids": [1]}),
    ):
        suite.post(f"resolve: {name}", path, body, 400, field="ids")
    for limit in (7, 1000):
        found, cursor = [], ""
        for _ in range(1000):
            answer = suite.call("a page of all entities", "GET", f"/v1/entities?limit={limit}&cursor={cursor}")
            found += names(answer.json["entities"])
            cursor = answer.json["cursor"]
            if cursor is None:
                break
        suite.that(
            f"every entity is on one page of {limit}", len(found) == len(set(found)) == 32, f"found {len(found)}")
    suite.call("a cursor that was altered", "GET", "/v1/entities?cursor=AAAA", 422, code="invalidToken")
    suite.post(
        "entities query: a cursor and an order", "/v1/entities:query",
        {"cursor": "", "sortedBy": [{"property": "price"}]}, 400, field="sortedBy")
    # As clients write absent fields that know no other way (schemathesis found the first of them refused).
    for order in ([], [{"property": "price"}]):
        suite.post(
            "entities query: null is absent", "/v1/entities:query",
            {"type": "product", "cursor": None, "mode": None, "limit": None, "sortedBy": order or None, "comparators": None},
            has=lambda a: expect("cursor" not in a.json, "there is a cursor"))
    suite.post(
        "entities query: a property that is not public", "/v1/entities:query",
        {"comparators": [{"property": "purchasePrice", "comparison": "lessThan", "value": 1}]}, 422,
        code="invalidFilter")


def check_sync(suite):
    state = None
    upserts = []
    for page in range(1000):
        target = "/v1/sync?limit=7" + (f"&state={state}" if state else "")
        if page == 0:
            answer = get_tagged(suite, "sync from the beginning", target)
        else:
            answer = suite.call(f"sync, page {page + 1}", "GET", target)
        if answer is None or answer.status != 200 or not answer.json:
            return None, []
        state = answer.json["state"]
        upserts += names(answer.json["upserts"])
        if answer.json["hasMore"] is not True:
            break
    suite.that("sync gives every entity once", len(set(upserts)) == len(upserts) and "product:oats" in upserts,
               f"{len(upserts)} entities, {len(set(upserts))} of them different; the oats must be among them")
    nothing = lambda a: expect(
        not a.json["upserts"] and not a.json["tombstones"] and a.json["hasMore"] is False, "there are changes")
    get_tagged(suite, "sync when nothing has changed", f"/v1/sync?state={state}", has=nothing)
    suite.call("sync in a language", "GET", "/v1/sync?locale=de&limit=1000", has=lambda a: expect(
        any(e["display"]["title"] == "Honig-Haferflocken" for e in a.json["upserts"]), "no German title"))
    suite.call(
        "sync with an altered state", "GET", f"/v1/sync?state={altered(state)}", 422, code="invalidToken")
    suite.call(
        "If-None-Match of sync with a state of nothing", "GET", "/v1/sync?state=AAAA", 422, code="invalidToken",
        headers={"If-None-Match": "*"})
    suite.call("sync with a state of nothing", "GET", "/v1/sync?state=AAAA", 422, code="invalidToken")
    suite.call("sync with a limit of 0", "GET", "/v1/sync?limit=0", 400, field="limit")
    suite.call("sync with an unknown parameter", "GET", "/v1/sync?type=product", 400, field="type")
    return state, upserts


def check_shop(suite):
    """What an app asks about the shop as a whole."""
    get_tagged(suite, "facets", "/v1/facets?facets=brand,availability,labels,price&type=product", has=lambda a: expect(
        a.json["entityCount"] == 28 and a.json["facets"][0]["values"][0]["value"] == "Northlight", "the brand is not counted"))
    suite.call("options", "GET", "/v1/facets?facets=labels&facetPrefix=MU&facetLimit=2", has=lambda a: expect(
        [value["value"] for value in a.json["facets"][0]["values"]] == ["mug"], "the options are others"))
    suite.call("facets of nothing", "GET", "/v1/facets", 400, field="facets")
    for name in ("stock", "title", "purchasePrice", "none"):
        suite.call(f"facets of {name}", "GET", f"/v1/facets?facets={name}", 422, code="invalidFilter", field="facets")
    suite.call("facets with a limit of 0", "GET", "/v1/facets?facets=brand&facetLimit=0", 400, field="facetLimit")
    suite.post("match with facets", "/v1/match", {"labels": ["drinkware"], "facets": ["brand"]}, has=lambda a: expect(
        a.json["facets"]["entityCount"] >= len(a.json["values"]), "fewer are counted than shown"))
    suite.post("match with codes", "/v1/match", {"codes": ["4006381333931", "4006381333932"]}, has=lambda a: expect(
        [code["reason"] for code in a.json["unmatchedCodes"]] == ["unknown", "invalid"], "the codes are not named"))
    texts = [{"text": "CAMP MUG", "box": [0.1, 0.2, 0.5, 0.1]}, "oats"]
    suite.post("match with texts", "/v1/match", {"labels": ["mug"], "codes": ["4006381333931"], "texts": texts}, has=lambda a: expect(
        any(len(word["corners"]) == 4 for value in a.json["values"] for word in value.get("words", [])), "no word has its place"))
    suite.post("match with words beside labels", "/v1/match", {"labels": ["mug"], "text": "in green"}, has=lambda a: expect(
        a.json["values"][0]["id"] == "mug-green" and a.json["unmatchedWords"] == [], "the words are not heeded"))
    suite.post("match with nothing but words", "/v1/match", {"text": "in green"}, 400, code="nothingAsked")
    suite.post("match with a text beyond the image", "/v1/match", {"texts": [{"text": "MUG", "box": [0, 0, 2, 1]}]}, 400, field="texts.box")
    suite.post("match with an unknown label of a title", "/v1/match", {"labels": ["northlight harbour"]}, has=lambda a: expect(
        a.json["values"][0]["id"] == "harbour", "the title is not found"))
    suite.post("match with an embedding without a model", "/v1/match", {"labels": ["mug"], "embedding": {"vector": "ADwAwABC"}}, 400,
               field="embedding.model")
    get_tagged(suite, "settings", "/v1/settings", has=lambda a: expect(a.json["visualSearch"], "there is no visual search"))
    for path, language in (("schema", "de"), ("phrases", "fr")):
        get_tagged(suite, path, f"/v1/{path}?locale={language}", has=lambda a: expect(
            a.json["language"] == language, "the language is another one"))
    link = urllib.parse.quote("https://shop.example/p/mug-red?utm_source=mail", safe="")
    get_tagged(suite, "the entity of a link", f"/v1/route?url={link}", has=lambda a: expect(
        names([a.json["entity"]]) == ["product:mug-red"], "the entity is another one"))
    suite.call("a link of nobody", "GET", "/v1/route?url=https%3A%2F%2Fother.example", 404, code="unknownEntity", field="url")
    suite.call("no link", "GET", "/v1/route", 400, field="url")
    suite.call("an entity for a model", "GET", "/v1/entities/product/oats?format=model", has=lambda a: expect(
        a.json["price"] == "3.60 EUR" and a.json["type"] == "Product", "the price or the type is another one"))
    suite.call(
        "an entity for a model in German", "GET", "/v1/entities/product/oats?format=model", headers={"Accept-Language": "de"},
        has=lambda a: expect(
            a.json["price"] == "3,60\u00a0€" and a.json["type"] == "Produkt" and a.header("Content-Language") == "de",
            "the price, the type or the language is another one"))
    suite.call("entities for a model", "GET", "/v1/entities?q=oats&format=model", has=lambda a: expect(
        [entity["id"] for entity in a.json["entities"]] == ["oats"], "the entities are others"))
    for written in ("http://shop.example/p/oats", "https://shop.example/p/oats/", "HTTP://Shop.example/p/oats/?utm_source=x#y"):
        suite.call(f"the entity of {written}", "GET", "/v1/route?url=" + urllib.parse.quote(written, safe=""), has=lambda a: expect(
            names([a.json["entity"]]) == ["product:oats"], "the entity is another one"))
    suite.call(
        "neighbors that meet a condition", "GET", "/v1/entities/product/mug-red/neighbors?limit=3&where=price%3C10",
        has=lambda a: expect(
            all(float(n["entity"]["product"]["price"]["amount"]) < 10 for n in a.json["neighbors"]), "one is dearer"))
    first = suite.post("labels to narrow", "/v1/match", {"labels": ["mug"], "limit": 2})
    suite.post(
        "a search that is narrowed without its image", "/v1/match",
        {"continuation": first.json["continuation"], "where": ["id=mug-green"]}, has=lambda a: expect(
            [value["id"] for value in a.json["values"]] == ["mug-green"] and a.json["values"][0]["rank"] == 1,
            f"the values are {names(a.json['values'])}"))
    near = {"labels": ["store"], "type": "store", "near": {"latitude": 50.94, "longitude": 6.96}}
    suite.post("stores within a radius", "/v1/match", {**near, "radius": 20000}, has=lambda a: expect(
        [value["id"] for value in a.json["values"]] == ["market"], f"the stores are {names(a.json['values'])}"))
    suite.post("a radius around nothing", "/v1/match", {"labels": ["store"], "radius": 20000}, 400, field="radius")
    suite.call("an entity as text", "GET", "/v1/entities/product/oats", headers={"Accept": "text/plain"}, has=lambda a: expect(
        a.body.startswith(b"Honey oats\n"), "the text is another one"))
    suite.call("an entity in an unknown form", "GET", "/v1/entities/product/oats?format=x", 400, field="format")
    for background in ("transparent", "dark"):
        suite.call(
            f"a thumbnail on {background}", "GET", f"/v1/entities/product/oats/thumbnail?size=large&background={background}",
            has=lambda a: expect(a.body[:2] in (b"\xff\xd8", b"\x89P"), "it is not an image"))
    suite.call("a thumbnail on something", "GET", "/v1/entities/product/oats/thumbnail?background=blue", 400, field="background")
    suite.call("sync with attributes", "GET", "/v1/sync?attributes=true&limit=1000", has=lambda a: expect(
        all("attributeSet" in entity for entity in a.json["upserts"]), "an entity has no attributes"))


def check_protocol(suite, photo, limits):
    server = suite.server
    every = [
        ("/v1/match", "POST"), ("/v1/entities", "GET"), ("/v1/entities/suggested", "GET"),
        ("/v1/entities:query", "POST"), ("/v1/entities/product/oats", "GET"),
        ("/v1/entities/product/oats/thumbnail", "GET"), ("/v1/sync", "GET"), ("/v1/limits", "GET"),
        ("/livez", "GET"), ("/readyz", "GET"), ("/metrics", "GET"), ("/openapi.json", "GET"),
    ]

    def allows(method):
        def check(answer):
            allowed = [part.strip() for part in (answer.header("Allow") or "").split(",")]
            return expect(method in allowed, f"Allow is {answer.header('Allow')!r}, without {method}")

        return check

    for path, method in every:
        # No path takes QUERY.
        suite.call(f"QUERY {path}", "QUERY", path, 405, has=allows(method))
        suite.call(f"OPTIONS {path}", "OPTIONS", path, 204, has=allows(method))
    suite.call("GET /v1/match", "GET", "/v1/match", 405, has=allows("POST"))
    suite.call("POST /v1/sync", "POST", "/v1/sync", 405, b"{}", {"Content-Type": "application/json"}, has=allows("GET"))
    suite.call("DELETE /v1/entities", "DELETE", "/v1/entities", 405, has=allows("GET"))
    for path in ("/v2", "/v1", "/v1/", "/v1/entities/", "/v1/match/", "/v1/entities/product", "/v1/nothing", "/livez/x",
                 "/%2e%2e/%2e%2e/etc/passwd", "/v1/entities/product/oats/thumbnail/x"):
        suite.call(f"the unknown path {path}", "GET", path, 404)

    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    suite.call(
        "traceparent", "GET", "/v1/limits", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"},
        has=lambda a: expect(
            re.fullmatch(f"00-{trace}-[0-9a-f]{{16}}-[0-9a-f]{{2}}", a.header("traceparent") or ""),
            f"traceparent is {a.header('traceparent')!r}"))
    suite.call(
        "a traceparent that is none", "GET", "/v1/limits", headers={"traceparent": "00-0-0-01"},
        has=lambda a: expect("00-0-0" not in (a.header("traceparent") or ""), "it is given back"))

    def raw_call(name, sent, status, method="GET", target="/livez", **more):
        chunks = more.pop("chunks", ())
        after = more.pop("after_continue", None)

        def make(headers):
            own = list(headers.items())
            contents = sent(own)
            if b"X-Request-ID" not in contents:
                headers.pop("X-Request-ID", None)
            return server.raw(contents, chunks, method, after)

        return suite.call(name, method, target, status, raw=make, **more)

    is_new = lambda a: expect(
        re.fullmatch("[0-9a-f]{32}", a.header("X-Request-ID") or ""),
        f"X-Request-ID is {a.header('X-Request-ID')!r}, not 32 hex digits")
    raw_call(
        "a request without id", lambda own: server.head("GET", "/livez", [("Connection", "close")]), 200,
        key=None, has=is_new)
    raw_call(
        "a request with an id that is none",
        lambda own: server.head("GET", "/livez", [("x-request-id", "a b<c>" * 100), ("Connection", "close")]), 200,
        key=None, has=is_new)
    raw_call(
        "a request without host",
        lambda own: f"GET {server.prefix}/livez HTTP/1.1\r\nConnection: close\r\n\r\n".encode(), 400, key=None)
    raw_call("no HTTP at all", lambda own: b"hello\r\n\r\n", 400, key=None)
    raw_call(
        "a blank before the colon",
        lambda own: server.head("GET", "/livez", [("X-A ", "1"), ("Connection", "close")]), 400, key=None)
    raw_call(
        "HTTP of another version",
        lambda own: f"GET {server.prefix}/livez HTTP/3.0\r\nHost: {server.name}\r\n\r\n".encode(), 505, key=None)
    raw_call(
        "an unknown transfer coding",
        lambda own: server.head("POST", "/v1/match", [
            *own, ("Content-Type", "image/jpeg"), ("Transfer-Encoding", "gzip"), ("Connection", "close")]),
        (400, 501), "POST", "/v1/match")
    raw_call(
        "both Content-Length and Transfer-Encoding",
        lambda own: server.head("POST", "/v1/match", [
            *own, ("Content-Type", "image/jpeg"), ("Content-Length", "4"), ("Transfer-Encoding", "chunked")])
        + b"0\r\n\r\n", 400, "POST", "/v1/match")
    raw_call(
        "another expectation",
        lambda own: server.head("POST", "/v1/match", [
            *own, ("Content-Type", "image/jpeg"), ("Content-Length", "4"), ("Expect", "payment")]),
        417, "POST", "/v1/match")
    raw_call(
        "a body of chunks that are none",
        lambda own: server.head("POST", "/v1/match", [
            *own, ("Content-Type", "image/jpeg"), ("Transfer-Encoding", "chunked")]) + b"xyz\r\n\r\n",
        400, "POST", "/v1/match")

    def get(host, target="/livez", method="GET"):
        lines = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        return lambda own: lines.encode()

    for host in ("a:x", "a:1:2", "a:65536", ":80", "a%zz", "[::1", "[::1]x", "[name]", "a@b"):
        raw_call(f"the Host {host}", get(host), 400, key=None, code="badRequest")
    for host in ("", "localhost", "localhost:80", "[::1]:80", "127.0.0.1:", "127.9.9.9:65535"):
        raw_call(f"the Host {host!r}", get(host), 200, key=None)
    # Without keys, a page whose name leads to this machine must not read anything.
    for host in ("shop.example", "shop.example:80", "a%41", "127.0.0.1.shop.example", "localhost.shop.example"):
        raw_call(f"the Host {host!r}", get(host), 200 if suite.key else 403, key=None)
    raw_call("a target with an empty authority", get(server.name, "http:///livez"), 400, key=None)
    for method in ("BREW", "get", "A"):
        raw_call(f"the method {method}", get(server.name, method=method), 501, method, key=None, code="methodNotImplemented")
    for path in ("/v1%2Flimits", "/v1/entities%2Fsuggested", "/v1/entities%2Fproduct/oats"):
        suite.call(f"an encoded slash in {path}", "GET", path, 404, code="unknownPath")
    suite.call("an encoded slash in /v1%2Fmatch", "POST", "/v1%2Fmatch", 404, photo, {"Content-Type": "image/jpeg"})

    def posted(rest):
        """A head of a picture, its last fields and its body."""
        return lambda own: server.head("POST", "/v1/match", [*own, ("Content-Type", "image/jpeg")])[:-2] + rest

    raw_call(
        "a transfer coding that only Unicode takes for chunked",
        posted("Transfer-Encoding: chun\u212aed\r\n\r\n0\r\n\r\n".encode()), 400, "POST", "/v1/match")
    raw_call(
        "a connection option beyond ASCII", posted("Connection: clo\u017fe\r\n\r\n".encode()), 400, "POST", "/v1/match")
    for extension in (b";", b";;;=,{}", b';a="b', b";a=", b';a="b"c', b";\x80\xff"):
        raw_call(
            f"the chunk extension {extension!r}",
            posted(b"Transfer-Encoding: chunked\r\n\r\n2" + extension + b"\r\nab\r\n0\r\n\r\n"),
            400, "POST", "/v1/match", code="badRequest")

    target = "/v1/match?labels=box&deadlineMs=10000"
    picture = [("Content-Type", "image/jpeg"), ("Connection", "close")]
    raw_call(
        "a picture that waits for 100",
        lambda own: server.head("POST", target, [
            *own, *picture, ("Content-Length", len(photo)), ("Expect", "100-continue")]),
        200, "POST", target, after_continue=photo,
        has=lambda a: expect(a.interim == [100], "there was no 100") + is_first("product:oats")(a))
    pieces = [photo[start:start + 10000] for start in range(0, len(photo), 10000)]
    raw_call(
        "a picture in chunks",
        lambda own: server.head("POST", target, [*own, *picture, ("Transfer-Encoding", "chunked")])
        + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n",
        200, "POST", target, has=is_first("product:oats"))
    raw_call(
        "a picture in chunks with extensions",
        lambda own: server.head("POST", target, [*own, *picture, ("Transfer-Encoding", "chunked")])
        + b"".join(b'%x;a;b=c; d = "e;f"\r\n%b\r\n' % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n",
        200, "POST", target, has=is_first("product:oats"))
    if limits is None:
        suite.check("too large requests", ["the limits are not known"])
        return
    most = limits["bodyBytes"]
    too_large = lambda a: expect(not a.interim, "it was asked to go on") + expect(
        a.json.get("limit") == most, f"limit is {a.json.get('limit')}, not {most}")
    raw_call(
        "a body too large by its length",
        lambda own: server.head("POST", "/v1/match", [
            *own, *picture, ("Content-Length", most + 1), ("Expect", "100-continue")]),
        413, "POST", "/v1/match", code="bodyTooLarge", has=too_large)
    piece = b"\xff\xd8\xff" + bytes(65533)
    count = most // len(piece) + 2
    raw_call(
        "a body too large in chunks",
        lambda own: server.head("POST", "/v1/match", [*own, *picture, ("Transfer-Encoding", "chunked")]),
        413, "POST", "/v1/match", code="bodyTooLarge",
        chunks=(b"10000\r\n" + piece + b"\r\n" for _ in range(count)))
    suite.call("a target too long", "GET", "/v1/entities?q=" + "a" * limits["targetBytes"], 414)
    suite.call("a query too long", "GET", "/livez?" + "a" * limits["targetBytes"], 414)
    many = [(f"X-Filler-{n}", "a" * 100) for n in range(limits["headerBytes"] // 100 + 20)]
    raw_call(
        "too many headers", lambda own: server.head("GET", "/livez", [*own, *many, ("Connection", "close")]),
        431, key=None, has=None)
    raw_call(
        "a header too large",
        lambda own: server.head("GET", "/livez", [*own, ("X-Filler", "a" * limits["headerBytes"]), ("Connection", "close")]),
        431, key=None)


def check_keys(suite):
    bearer = lambda a: expect(
        (a.header("WWW-Authenticate") or "").startswith("Bearer"),
        f"WWW-Authenticate is {a.header('WWW-Authenticate')!r}")
    if suite.key is None:
        suite.call("a key that is not needed", "GET", "/v1/limits", (200, 401), key="unknown")
        return
    guarded = [
        ("GET", "/v1/entities?ids=product:oats"), ("GET", "/v1/entities/suggested"),
        ("GET", "/v1/entities/product/oats"), ("GET", "/v1/entities/product/oats/thumbnail"),
        ("GET", "/v1/sync"), ("GET", "/v1/limits"), ("GET", "/metrics"),
        ("DELETE", "/v1/entities/product/none"), ("PUT", "/v1/entities/product/none"),
    ]
    for method, target in guarded:
        suite.call(f"{method} {target} without key", method, target, 401, key=None, has=bearer)
    body = json.dumps({"labels": ["box"]}).encode()
    kind = {"Content-Type": "application/json"}
    suite.call("match without key", "POST", "/v1/match", 401, body, kind, key=None, has=bearer)
    body = json.dumps({"comparators": []}).encode()
    suite.call("query without key", "POST", "/v1/entities:query", 401, body, kind, key=None, has=bearer)
    suite.call("an unknown key", "GET", "/v1/limits", 401, key="unknown", has=bearer)
    suite.call(
        "another kind of authorization", "GET", "/v1/limits", 401, key=None,
        headers={"Authorization": "Basic YTpi"}, has=bearer)


def check_put(suite, photo):
    target = "/v1/entities/product/new%2Fmug"
    row = {"type": "product", "id": "new/mug", "title": "Mug of a test", "labels": ["testmug"],
           "price": {"amount": "14.90", "currency": "EUR"}, "color": "red"}

    def put(name, value, status, **more):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        headers = {"Content-Type": more.pop("media", "application/json")}
        return suite.call(name, "PUT", target, status, body, headers, **{"key": suite.write_key, **more})

    if suite.write_key is None or suite.key is not None and suite.key != suite.write_key:
        refused = 401 if suite.key is None else 403
        put("put without write key", row, refused, key=suite.key)
        body, media = form(("entity", None, "application/json", json.dumps(row).encode()))
        suite.call("put a form without write key", "PUT", target + "/form", refused, body, {"Content-Type": media}, key=suite.key)
        suite.call("patch without write key", "PATCH", target, refused, b"{}", {"Content-Type": "application/merge-patch+json"}, key=suite.key)
        suite.call("import without write key", "POST", "/v1/entities:import", refused, b"{}", {"Content-Type": "application/x-ndjson"}, key=suite.key)
    if suite.write_key is None:
        return

    def did(effect):
        return lambda a: expect(
            a.json["effect"] == effect and a.header("X-Generation") == str(a.json["generation"]),
            f"it did {a.json['effect']!r} in {a.header('X-Generation')!r}")

    put("put an entity", row, 201, has=did("added"))
    put("put it again", row, 200, has=did("unchanged"))
    suite.call("get what was put", "GET", target, has=lambda a: expect(
        a.json["entity"]["display"]["title"] == row["title"] and "color" not in json.dumps(a.json),
        "it is another entity, or has a field that is not public"))
    suite.post("match what was put", "/v1/match", {"labels": ["testmug"]}, has=lambda a: expect(
        [v["id"] for v in a.json["values"]] == ["new/mug"], "it does not match"))
    body, media = form(("entity", None, "application/json", json.dumps({**row, "images": ["photo"]}).encode()),
                       ("photo", "mug.jpg", "image/jpeg", photo))
    first = put("put it with an image", body, 200, media=media, has=did("changed"))
    put("put it with the same image", body, 200, media=media, has=did("unchanged"))
    suite.call("put it on the path for forms", "PUT", target + "/form", 200, body, {"Content-Type": media}, key=suite.write_key,
               has=did("unchanged"))
    if first is not None and first.json:
        put("put it with the name of the image", {**row, "title": "Mug", "images": first.json["images"]}, 200,
            has=did("changed"))
    suite.call("match with the image", "POST", "/v1/match", 200, photo, {"Content-Type": "image/jpeg"},
               has=lambda a: expect("new/mug" in [v["id"] for v in a.json["values"]], "it does not match"))
    for name, value, status, code, field in (
        ("text", b"{", 400, "invalidJSON", None), ("a list", [], 400, "invalidField", None),
        ("no title", {"labels": ["a"]}, 422, "invalidEntity", "title"),
        ("another id", {**row, "id": "other"}, 422, "invalidEntity", "id"),
        ("another type", {**row, "type": "store"}, 422, "invalidEntity", "type"),
        ("a number as a label", {**row, "labels": [1]}, 422, "invalidEntity", "labels"),
        ("an unsafe link", {**row, "url": "javascript:x"}, 422, "invalidEntity", "url"),
        ("a missing image", {**row, "images": ["none.jpg"]}, 422, "invalidEntity", "images[0]"),
        ("a path out of the root", {**row, "images": ["../x.jpg"]}, 422, "invalidEntity", "images[0]"),
        ("an unknown upload", {**row, "images": ["upload:0123456789abcdef"]}, 422, "invalidEntity", "images[0]"),
    ):
        put(f"put {name}", value, status, code=code, field=field)
    body, media = form(("entity", None, "application/json", json.dumps(row).encode()),
                       ("photo", "mug.jpg", "image/jpeg", photo[: len(photo) // 2]))
    put("put half an image", body, 422, media=media, code="invalidEntity", field="images[0]")
    body, media = form(("photo", "mug.jpg", "image/jpeg", photo))
    put("put no entity", body, 400, media=media, code="invalidField", field="entity")
    put("put an image alone", photo, 415, media="image/jpeg", code="unsupportedMediaType")
    put("put too much", b" " * (1 << 20) + b"{}", 413, code="bodyTooLarge")
    suite.call("get what stayed", "GET", target, has=lambda a: expect(
        a.json["entity"]["display"]["title"] == "Mug", "a refused change changed it"))
    merge = {"Content-Type": "application/merge-patch+json"}

    def patch(name, value, status, **more):
        return suite.call(name, "PATCH", more.pop("target", target), status, json.dumps(value).encode(), merge, key=suite.write_key, **more)

    patch("patch a price", {"price": {"amount": "12.90", "currency": "EUR"}, "subtitle": None}, 200, has=did("changed"))
    patch("patch it again", {"price": {"amount": "12.90"}}, 200, has=did("unchanged"))
    suite.call("get what was patched", "GET", target, has=lambda a: expect(
        a.json["entity"]["product"]["price"]["amount"] == "12.90" and a.json["entity"]["display"]["title"] == "Mug", "it is another entity"))
    for name, value, status, code, field in (
        ("a list", [], 400, "invalidField", None), ("no title", {"title": None}, 422, "invalidEntity", "title"),
        ("another id", {"id": "other"}, 422, "invalidEntity", "id"),
        ("an unsafe link", {"url": "javascript:x"}, 422, "invalidEntity", "url"),
    ):
        patch(f"patch {name}", value, status, code=code, field=field)
    patch("patch what is not there", {"title": "T"}, 404, target="/v1/entities/product/none", code="unknownEntity")
    suite.call("patch with text", "PATCH", target, 415, b"{}", {"Content-Type": "text/plain"}, key=suite.write_key,
               code="unsupportedMediaType")
    suite.call("delete what was put", "DELETE", target, 204, key=suite.write_key)
    lines = [row, {"patch": {"type": "product", "id": row["id"], "title": "Again"}}, {"delete": {"type": "product", "id": "none"}}]
    body = "\n".join(map(json.dumps, lines)).encode()
    kind = {"Content-Type": "application/x-ndjson", "Idempotency-Key": "conformance-1"}

    def make_lines(name, body, status, kind=kind, **more):
        return suite.call(name, "POST", "/v1/entities:import", status, body, kind, key=suite.write_key, **more)

    first = make_lines("change several entities", body, 200, has=lambda a: expect(
        [r["status"] for r in a.json["results"]] == [201, 422, 404] and a.json["succeeded"] == 1, f"the results are {a.json['results']}"))
    make_lines("change them again with the same key", body, 200, has=lambda a: expect(a.json == first.json, "it is another answer"))
    make_lines("change others with the same key", body + b"\n{}", 422, code="reusedKey", field="Idempotency-Key")
    make_lines("change nothing", b"\n", 400, {"Content-Type": "application/jsonl"}, code="invalidJSON")
    make_lines("lines of another type", body, 415, {"Content-Type": "application/json"}, code="unsupportedMediaType")
    make_lines("too many lines", b"{}\n" * 1001, 413, {"Content-Type": "application/jsonl"}, code="bodyTooLarge")
    suite.call("delete what was imported", "DELETE", target, 204, key=suite.write_key)


def check_fit(suite, photo):
    """A shop learns from labelled photos."""
    kind = {"Content-Type": "application/json"}
    key = suite.write_key
    allowed = key is not None

    def send(name, method, target, value, status, **more):
        return suite.call(name, method, target, status if allowed else 401, json.dumps(value).encode(), kind, key=key, **more)

    def ask(name, status, query, *parts, **more):
        body, media_type = form(("query", None, "application/json", json.dumps(query).encode()), *parts)
        return suite.call(name, "POST", "/v1/fit/photos", status if allowed else 401, body, {"Content-Type": media_type}, key=key, **more)

    part = ("image", "a.jpg", "image/jpeg", photo)
    asked = ask("a photo for a fit", 200, {"truth": ["oats"]}, part)
    ask("a photo of what the shop lacks", 200, {"truth": [], "labels": ["cereal"], "edit": "phone"}, part)
    ask("a photo of an unknown id", 400, {"truth": ["none"]}, part, **({"field": "truth"} if allowed else {}))
    ask("a photo for a fit that is not there", 400, {"truth": ["oats"]}, **({"field": "image"} if allowed else {}))
    ask("a photo for a fit that is none", 415, {"truth": ["oats"]}, ("image", "a.jpg", "image/jpeg", b"no image"))
    send("a photo of no statement", "POST", "/v1/fit/photos", {"statement": 999999}, 404)
    send("a photo of no statement, on the path for it", "POST", "/v1/fit/photos:kept", {"statement": 999999}, 404)
    sealed = asked.json["photo"] if allowed and asked is not None and asked.json else "x"
    send("a fit to one photo", "POST", "/v1/fit", {"photos": [sealed], "absentShare": 0.2, "dryRun": True}, 200,
         **({"has": lambda a: expect(a.json["verdict"] == "tooFew" and not a.json["stored"], f"it is {a.json}")} if allowed else {}))
    send("a fit to one photo twice", "POST", "/v1/fit", {"photos": [sealed, sealed]}, 400, **({"field": "photos[1]"} if allowed else {}))
    send("a fit to no photos", "POST", "/v1/fit", {"photos": []}, 400, **({"field": "photos"} if allowed else {}))
    send("a fit to what is no photo", "POST", "/v1/fit", {"photos": ["AAAA"]}, 422)
    suite.call("no fit is undone", "DELETE", "/v1/fit", 404 if allowed else 401, key=key)


def check_feedback(suite, photo):
    """What people say about answers, what the shop could correct, and the neighbors of an entity."""
    kind = {"Content-Type": "application/json"}
    key = suite.write_key
    allowed = key is not None

    def send(name, method, target, value, status, **more):
        return suite.call(
            name, method, target, status if allowed else 401, json.dumps(value).encode(), kind, **{"key": key, **more})

    suite.call("catalogue", "GET", "/v1/catalogue")
    suite.call("neighbors", "GET", "/v1/entities/product/mug-red/neighbors?limit=3", has=lambda a: expect(
        0 < len(a.json["neighbors"]) <= 3, f"there are {len(a.json['neighbors'])} neighbors"))
    suite.call("neighbors of nothing", "GET", "/v1/entities/product/none/neighbors", 404, code="unknownEntity")
    suite.call("neighbors, too many", "GET", "/v1/entities/product/mug-red/neighbors?limit=51", 400, field="limit")
    for relation in ("bought", "look"):
        suite.call(f"neighbors by {relation}", "GET", f"/v1/entities/product/mug-red/neighbors?relation={relation}")
    suite.call("neighbors by nothing", "GET", "/v1/entities/product/mug-red/neighbors?relation=x", 400, field="relation")
    suite.call("what goes with nothing", "GET", "/v1/entities/product/none/neighbors?relation=look", 404, code="unknownEntity")
    suite.call("history", "GET", "/v1/entities/product/mug-red/history", has=lambda a: expect(
        a.json["added"] and a.json["changed"], f"it is {a.json}"))
    suite.call("history of nothing", "GET", "/v1/entities/product/none/history", 404, code="unknownEntity")
    for name in ("feedback", "feedback/queries", "doctor", "labels/unknown", "rules", "rejected", "fit"):
        suite.call(f"{name} for the shop", "GET", f"/v1/{name}", 200 if allowed else 401, key=key)
        if allowed and suite.key is not None and suite.key != key:
            suite.call(f"{name} for others", "GET", f"/v1/{name}", 403, code="forbidden")
    asked = suite.picture("a question that is corrected", "deadlineMs=2000", photo)
    token = (asked.json or {}).get("continuation") if asked is not None else None
    said = {"query": token or "none", "chosen": "product:mug-red", "rejected": ["product:oats"]}
    made = send("feedback is kept", "POST", "/v1/feedback", said, 201)
    send("feedback is kept once", "POST", "/v1/feedback", said, 200)
    body, media_type = form(("feedback", None, "application/json", json.dumps(said).encode()))
    suite.call("feedback in a form is kept once", "POST", "/v1/feedback:form", 200 if allowed else 401, body,
               {"Content-Type": media_type}, key=key)
    send("JSON where a form is expected", "POST", "/v1/feedback:form", said, 415)
    send("feedback on nothing", "POST", "/v1/feedback", {"query": token or "none"}, 422)
    send("feedback with another token", "POST", "/v1/feedback", {**said, "query": "none"}, 422)
    send("feedback on what is not there", "POST", "/v1/feedback", {**said, "chosen": "product:none"}, 422)
    number = made.json["number"] if allowed and made is not None and made.json else 1
    if allowed:
        suite.picture("what is rejected is not found", "deadlineMs=2000", photo, has=lambda a: expect(
            "oats" not in [value["id"] for value in a.json["values"]] and a.json["feedback"]["suppressed"],
            "it is found again"))
        suite.call("feedback on an entity", "GET", "/v1/feedback?entity=product:oats", key=key, has=lambda a: expect(
            len(a.json["feedback"]) == 1, f"there are {len(a.json['feedback'])} statements"))
    path = f"/v1/feedback/{number}"
    suite.call("feedback is accepted", "PUT", f"{path}/acceptance", 204 if allowed else 401, key=key)
    suite.call("feedback is removed", "DELETE", path, 204 if allowed else 401, key=key)
    suite.call("feedback is removed once", "DELETE", path, 404 if allowed else 401, key=key)
    def evaluate(name, status, query, *parts, **more):
        body, media_type = form(("queries", None, "application/x-ndjson", json.dumps(query).encode()), *parts)
        suite.call(name, "POST", "/v1/evaluations", status if allowed else 401, body,
                   {"Content-Type": media_type}, key=key, **more)

    query, part = {"image": "a", "truth": ["oats"]}, ("a", "a.jpg", "image/jpeg", photo)
    evaluate("an evaluation", 200, query, part)
    evaluate("an evaluation of an image that is not there", 400, query, **({"field": "queries"} if allowed else {}))
    evaluate("an evaluation of an unknown id", 400, {**query, "truth": ["none"]}, part, **({"field": "truth"} if allowed else {}))
    if allowed:
        suite.call("an evaluation as JSON", "POST", "/v1/evaluations", 415, b"{}", kind, key=key)
    outcome = {"truth": ["oats"], "answers": [{"id": "product:oats", "confidence": 0.9}], "complete": True}
    figures = "/v1/evaluations:figures"
    suite.call("the figures of an evaluation", "POST", figures, 200, json.dumps({"queries": [outcome]}).encode(), kind,
               has=lambda a: expect(a.json["recallAt1"] == 1 and a.json["wrong"] == [], "the right answer is not counted"))
    suite.call("the figures of no queries", "POST", figures, 400, b'{"queries":[]}', kind, field="queries")
    suite.call("the figures of too many queries", "POST", figures, 400, json.dumps({"queries": 501 * [{"truth": []}]}).encode(), kind,
               field="queries")
    suite.call("the figures of a confidence beyond one", "POST", figures, 400,
               json.dumps({"queries": [{"truth": [], "answers": [{"id": "product:oats", "confidence": 2}]}]}).encode(), kind, key=key,
               field="queries[0].answers[0].confidence")
    check_fit(suite, photo)
    bridge = {"label": "oatmeal", "labels": ["cereal"]}
    send("a label that is not the shop's", "POST", "/v1/labels/bridge", {**bridge, "labels": ["none"]}, 400)
    # schemathesis found this one accepted.
    send("an empty label of the shop", "POST", "/v1/labels/bridge", {"label": "zzz", "labels": [""]}, 400)
    send("a label is added to the bridge", "POST", "/v1/labels/bridge", bridge, 200)
    # This server keeps no numbers.
    happened = {"query": token or "none", "events": [{"id": "1", "action": "opened", "entity": "product:oats"}]}
    suite.call("an event", "POST", "/v1/events", 403, json.dumps(happened).encode(), kind, code="forbidden")
    rule = {"name": "none", "do": "hide", "entities": ["product:not-there"]}
    send("a rule without entities", "PUT", "/v1/rules", {"rules": [{"name": "none", "do": "hide"}]}, 400)
    send("a rule twice", "PUT", "/v1/rules", {"rules": [rule, rule]}, 400)
    send("rules are replaced", "PUT", "/v1/rules", {"rules": [rule]}, 200)
    send("rules are removed", "PUT", "/v1/rules", {"rules": []}, 200)

    def try_rules(name, status, *parts, **more):
        body, media_type = form(*parts)
        suite.call(name, "POST", "/v1/rules/trial", status if allowed else 401, body, {"Content-Type": media_type}, key=key, **more)

    pin = {"name": "first", "do": "pin", "entities": ["product:mug-red", "product:not-there"]}
    rules = ("rules", None, "application/json", json.dumps({"rules": [pin]}).encode())
    asked = ("request", None, "application/json", b'{"labels":["mug"]}')
    try_rules("rules are tried", 200, rules, asked, has=(lambda a: expect(
        a.json["after"]["values"][0].get("id") == "mug-red" and a.json["missing"] == ["product:not-there"], f"it is {a.json}"))
        if allowed else None)
    try_rules("rules are tried with an image", 200, rules, ("image", "a.jpg", "image/jpeg", photo))
    try_rules("a trial without rules", 400, asked, **({"field": "rules"} if allowed else {}))
    try_rules("a trial of nothing", 400, rules)
    try_rules("a trial of more than a search", 400, rules, asked, ("other", None, "text/plain", b"x"),
              **({"field": "other"} if allowed else {}))
    suite.call("numbers of a server without", "GET", "/v1/numbers", 403 if allowed else 401, key=key)
    suite.call("numbers of too many days", "GET", "/v1/numbers?days=0", 400 if allowed else 401, key=key,
               **({"field": "days"} if allowed else {}))


def check_delete(suite, state, upserts):
    target = "/v1/entities/product/none"
    if suite.write_key is None or suite.key is not None and suite.key != suite.write_key:
        suite.call("delete without write key", "DELETE", target, 401 if suite.key is None else 403)
    if suite.write_key is None:
        return
    suite.call(
        "delete an unknown entity", "DELETE", target, 404, key=suite.write_key, code="unknownEntity")
    rest = [name for name in upserts if name not in ("product:oats", "store:market", "product:candle")]
    if not rest:
        suite.check("delete an entity", ["there is none to delete"])
        return
    kind, _, value = rest[-1].partition(":")
    target = f"/v1/entities/{kind}/{QUOTE(value, safe='')}"
    suite.call(f"delete {rest[-1]}", "DELETE", target, 204, key=suite.write_key)
    suite.call("get what is deleted", "GET", target, 404, code="unknownEntity")
    suite.call("delete it again", "DELETE", target, 404, key=suite.write_key)
    if state:
        suite.call("sync after it", "GET", f"/v1/sync?state={state}", has=lambda a: expect(
            rest[-1] in names(a.json["tombstones"]), "it is not among the tombstones"))


def main():
    parser = argparse.ArgumentParser(description="Checks a server against its OpenAPI document.")
    parser.add_argument("base", metavar="BASE_URL", help="such as http://127.0.0.1:8080")
    parser.add_argument("samples", metavar="SAMPLES_DIR", type=Path, help="has queries/q06-oats.jpg")
    parser.add_argument("--key", help="a key that may read")
    parser.add_argument("--write-key", help="a key that may write; one entity is put and deleted, and another one deleted")
    given = parser.parse_args()
    if not (given.samples / "queries" / "q06-oats.jpg").is_file():
        parser.error(f"{given.samples} has no queries/q06-oats.jpg")
    suite = Suite(Server(given.base), (given.key or given.write_key, given.write_key))
    if check_document(suite):
        limits = suite.group(check_plain_routes)
        photo = (given.samples / "queries" / "q06-oats.jpg").read_bytes()
        suite.group(check_match, photo)
        suite.group(check_match_errors, photo)
        suite.group(check_entities)
        suite.group(check_query)
        suite.group(check_lists)
        suite.group(check_shop)
        state, upserts = suite.group(check_sync) or (None, [])
        suite.group(check_protocol, photo, limits)
        suite.group(check_keys)
        suite.group(check_feedback, photo)
        suite.group(check_put, photo)
        suite.group(check_delete, state, upserts)
    sys.exit(suite.finish())


if __name__ == "__main__":
    main()
