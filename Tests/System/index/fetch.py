#!/usr/bin/env python3
"""Pictures of servers, with names, addresses and certificates as on the internet: fetch.py VQ PICTURES

Runs in a network of its own (unshare, which wants root or user namespaces) that has one public address, so that `vq index --fetch` is
held to all its rules as it is. PICTURES is a folder of JPEGs. Wants iproute2 and openssl; else the standard library only.
"""
import http.server
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time

ADDRESS = "93.184.215.14"
NAMES = {"cdn.shop.example": ADDRESS, "other.shop.example": ADDRESS, "inside.shop.example": "127.0.0.1",
         "metadata.shop.example": "169.254.169.254", "loop.shop.example": "::1", "mapped.shop.example": "::ffff:10.0.0.1",
         "images.internal.example": "10.1.2.3"}


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pictures, feeds, log, slow = {}, {}, [], 0.0

    def do_GET(self):
        Origin.log.append((self.headers["Host"], self.path))
        time.sleep(Origin.slow)
        if self.path.startswith("/to/"):
            return self.answer(302, {"Location": self.path[4:]})
        if self.path in Origin.feeds:
            return self.answer(200, {"Content-Type": "text/csv"}, Origin.feeds[self.path])
        picture = Origin.pictures.get(self.path)
        if picture is None:
            return self.answer(404)
        tag = f'"{hash(picture)}"'
        if self.headers["If-None-Match"] == tag:
            return self.answer(304)
        self.answer(200, {"ETag": tag}, picture)

    def answer(self, status, fields={}, body=b""):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64

    def handle_error(self, *_):
        pass  # clients that hang up, or do not like the certificate


def certificates(folder):
    """An authority that this network trusts, a certificate of its, and one of nobody's."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, cwd=folder, stderr=subprocess.DEVNULL)
    for name in ("authority", "nobody"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
                "-out", f"{name}.pem", "-addext", "subjectAltName=DNS:cdn.shop.example")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=cdn.shop.example", "-keyout", "server.key", "-out", "server.csr")
    with open(f"{folder}/names", "w") as file:
        file.write("subjectAltName=DNS:cdn.shop.example\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem")
    os.makedirs("/etc/ssl/certs", exist_ok=True)
    trusted = "/etc/ssl/certs/ca-certificates.crt"
    if os.path.exists(trusted):
        subprocess.run(["mount", "--bind", f"{folder}/authority.pem", trusted], check=True)


def serve(port, address=ADDRESS, certificate=None, folder=None):
    server = Server((address, port), Origin)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/{certificate}.pem", f"{folder}/{certificate}.key")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()


class Fetching:
    def __init__(self, vq, folder):
        self.vq, self.folder, self.failures = vq, folder, 0

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def rows(self, urls, name="rows.jsonl"):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            for number, url in enumerate(urls):
                file.write(json.dumps({"type": "product", "id": f"p{number}", "title": "T", "images": [url]}) + "\n")
        return path

    def index(self, rows, name, *hosts, **environment):
        command = [self.vq, "index", rows, "--index", f"{self.folder}/{name}", "--fetch", "--json"]
        run = subprocess.run(command + [f"--allow-host={host}" for host in hosts], capture_output=True, text=True,
                             env=os.environ | environment)
        return json.loads(run.stdout or "{}"), run.stderr

    def run(self, feed, name, *arguments, **environment):
        """Indexes a feed, and gives the summary, the messages and the exit code."""
        command = [self.vq, "index", feed, "--index", f"{self.folder}/{name}", "--json", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
        return json.loads(run.stdout or "{}"), run.stderr, run.returncode

    def is_refused(self, what, url, reason, *hosts):
        Origin.log.clear()
        summary, errors = self.index(self.rows([url], "one.jsonl"), "refused.vq", *hosts)
        self.say(what, summary.get("refused") == 1 and reason in errors and not Origin.log, (summary, errors, Origin.log))

    def all(self):
        pictures = sorted(Origin.pictures)
        rows = self.rows([f"{'https' if number % 2 else 'http'}://cdn.shop.example{name}" for number, name in enumerate(pictures)])
        summary, errors = self.index(rows, "a.vq", "cdn.shop.example", http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9")
        self.say("pictures of both schemes go in, and proxies of the environment are passed over",
                 summary.get("signedImages") == len(pictures) == summary.get("fetchedImages"), (summary, errors))
        summary, errors = self.index(rows, "a.vq", "*.shop.example")
        self.say("the next run asks and takes nothing",
                 (summary.get("unchangedImages"), summary.get("fetchedImages")) == (len(pictures), 0), (summary, errors))

        private = "not public"
        for name in NAMES:
            if NAMES[name] != ADDRESS:
                self.is_refused(f"a name of {NAMES[name]} is refused", f"http://{name}/0.jpg", private, name)
        self.is_refused("a number that is an address of the machine is refused", "http://2130706433/0.jpg", private, "127.0.0.1")
        self.is_refused("a host off the list is refused", "http://other.shop.example/0.jpg", "not an allowed host", "cdn.shop.example")
        self.is_refused("a port off the list is refused", "http://cdn.shop.example:8080/0.jpg", "not an allowed host", "cdn.shop.example")
        self.is_refused("a certificate that nobody trusts is refused", "https://cdn.shop.example:8443/0.jpg", "the connection failed",
                        "cdn.shop.example:8443")
        private_server = self.rows(["https://cdn.shop.example:8443/0.jpg"], "one.jsonl")
        for what, arguments, environment in [("--ca-file", ["--ca-file", f"{self.folder}/nobody.pem"], {}),
                                             ("SSL_CERT_FILE", [], {"SSL_CERT_FILE": f"{self.folder}/nobody.pem"})]:
            summary, errors, code = self.run(private_server, f"authority{len(arguments)}.vq", "--fetch", "--allow-host",
                                             "cdn.shop.example:8443", *arguments, **environment)
            self.say(f"a private authority of {what} is trusted", summary.get("fetchedImages") == 1 and code == 0, errors)
        summary, errors, code = self.run(private_server, "authority.vq", "--fetch", "--allow-host", "cdn.shop.example:8443",
                                         "--ca-file", f"{self.folder}/none.pem")
        self.say("an authority's file that is missing is named", code == 2 and "--ca-file" in errors, errors)
        secrets = ["https://me:s3cret@cdn.shop.example/0.jpg", "https://cdn.shop.example/9999.jpg?token=s3cret&s3cret",
                   "http://other.shop.example/a?sig=s3cret", "//me:s3cret@cdn.shop.example/0.jpg"]
        summary, errors, code = self.run(self.rows(secrets, "secrets.jsonl"), "secrets.vq", "--fetch", "--allow-host", "cdn.shop.example")
        with open(f"{self.folder}/secrets.vq/rejected.jsonl") as file:
            reasons = [json.loads(line)["reason"] for line in file]
        self.say("secrets in addresses are in no message and no reason",
                 len(reasons) == 4 and "s3cret" not in "".join(reasons) + errors, (reasons, errors))
        self.is_refused("a certificate of another name is refused", "https://other.shop.example/0.jpg", "the connection failed",
                        "other.shop.example")

        secure = "https://cdn.shop.example/to/"
        for what, target, reason in [
                ("a host off the list", "http://other.shop.example/0.jpg", "not an allowed host"),
                ("a name of the machine", "https://inside.shop.example/0.jpg", private),
                ("the same without encryption", "http://cdn.shop.example/0.jpg", "from https to http")]:
            Origin.log.clear()
            summary, errors = self.index(self.rows([secure + target], "one.jsonl"), "refused.vq", "cdn.shop.example", "inside.shop.example")
            self.say(f"a redirection to {what} is refused", summary.get("refused") == 1 and reason in errors and len(Origin.log) == 1,
                     (summary, errors, Origin.log))

        self.feeds(pictures)
        self.internal(pictures)

        for ending in (signal.SIGKILL, signal.SIGINT):
            name = f"{ending.name}.vq"
            Origin.slow = 0.2
            run = subprocess.Popen([self.vq, "index", rows, "--index", f"{self.folder}/{name}", "--fetch", "--allow-host",
                                    "cdn.shop.example", "-q"], stderr=subprocess.PIPE, text=True)
            time.sleep(0.5)
            run.send_signal(ending)
            _, errors = run.communicate(timeout=30)
            Origin.slow = 0
            self.say(f"a run ended by {ending.name} while it fetches ends soon",
                     run.returncode == (130 if ending == signal.SIGINT else -ending), (run.returncode, errors))
            summary, errors = self.index(rows, name, "cdn.shop.example")
            self.say("and the next one goes on from there",
                     summary.get("entities") == len(pictures) > summary.get("fetchedImages", 0), (summary, errors))
            verified = subprocess.run([self.vq, "catalogue", "verify", "--index", f"{self.folder}/{name}"],
                                      stdout=subprocess.DEVNULL)
            self.say("and the index is sound", verified.returncode == 0)


    def feeds(self, pictures):
        """A feed whose name is an address."""
        fetch = ["--fetch", "--allow-host", "cdn.shop.example"]
        rows = "".join(f"p{number};T;https://cdn.shop.example{name}\n" for number, name in enumerate(pictures))
        Origin.feeds["/feed.csv"] = ("id;title;image\n" + rows).encode()
        Origin.feeds["/down.csv"] = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
        Origin.feeds["/empty.csv"] = b"id;title;image\n"
        address = "https://cdn.shop.example/feed.csv"
        for name in (address, "http://cdn.shop.example/to/" + address):
            summary, errors, code = self.run(name, "feed.vq", *fetch)
            self.say(f"the feed at {name} goes in with its pictures",
                     (code, summary.get("entities"), summary.get("refused")) == (0, len(pictures), 0), (summary, errors, code))
        for what, name, reason in [
                ("that is an error page", "https://cdn.shop.example/down.csv", "502 Bad Gateway"),
                ("that is not there", "https://cdn.shop.example/none.csv", "404"),
                ("without rows", "https://cdn.shop.example/empty.csv", "no entity was indexed"),
                ("of a host off the list", "https://other.shop.example/feed.csv", "other.shop.example"),
                ("of the machine", "http://inside.shop.example/feed.csv", "inside.shop.example")]:
            hosts = ["--allow-host", "inside.shop.example"] if "inside" in name else []
            summary, errors, code = self.run(name, "none.vq", *fetch, *hosts)
            self.say(f"a feed {what} ends with 1 and leaves nothing",
                     code == 1 and reason in errors and not os.path.exists(f"{self.folder}/none.vq"), (summary, errors, code))

    def internal(self, pictures):
        """A server of the shop's own network."""
        host = "images.internal.example"
        rows = self.rows([f"http://{host}{name}" for name in pictures], "internal.jsonl")
        fetch = ["--fetch", "--allow-host", host]
        for opened, goes_in in [([], False), (["10.1.3.0/24"], False), (["10.1.2.3"], True), (["192.168.0.0/16", "10.1.2.0/24"], True)]:
            arguments = [word for text in opened for word in ("--allow-private-address", text)]
            name = f"internal{len(opened)}{goes_in}.vq"
            summary, errors, code = self.run(rows, name, *fetch, *arguments)
            found = summary.get("signedImages") == len(pictures) if goes_in else summary.get("refusedImages") == len(pictures)
            self.say(f"with {' and '.join(opened) or 'nothing'} opened, pictures of {NAMES[host]} "
                     + ("go in" if goes_in else "are refused"), found and code == (0 if goes_in else 1), (summary, errors, code))
        one = self.rows(["http://inside.shop.example/0.jpg"], "one.jsonl")
        summary, errors, code = self.run(one, "refused.vq", "--fetch", "--allow-host", "inside.shop.example",
                                         "--allow-private-address", "10.0.0.0/8")
        self.say("the machine itself stays closed", summary.get("refused") == 1 and "not public" in errors, (summary, errors, code))


def main():
    if os.environ.get("VQ_FETCH_INSIDE") != "1":
        own = ["unshare", "--net", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        os.execvpe(own[0], own + [sys.executable, *sys.argv], os.environ | {"VQ_FETCH_INSIDE": "1"})
    # Certificates of this machine would vouch for the servers, or not.
    os.environ.pop("SSL_CERT_FILE", None)
    for command in ["link set lo up", f"address add {ADDRESS}/32 dev lo", "address add 169.254.169.254/32 dev lo",
                    "address add 10.1.2.3/32 dev lo"]:
        subprocess.run(["ip", *command.split()], check=True)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/hosts", "w") as file:
            file.writelines(f"{address} {name}\n" for name, address in NAMES.items())
        subprocess.run(["mount", "--bind", f"{folder}/hosts", "/etc/hosts"], check=True)
        certificates(folder)
        names = sorted(name for name in os.listdir(sys.argv[2]) if name.endswith(".jpg"))
        for number, name in enumerate(names):
            with open(os.path.join(sys.argv[2], name), "rb") as file:
                Origin.pictures[f"/{number}.jpg"] = file.read()
        for port, address in [(80, ADDRESS), (8080, ADDRESS), (80, "127.0.0.1"), (80, "169.254.169.254"), (80, "10.1.2.3")]:
            serve(port, address)
        serve(443, certificate="server", folder=folder)
        serve(8443, certificate="nobody", folder=folder)
        fetching = Fetching(os.path.abspath(sys.argv[1]), folder)
        fetching.all()
        # Bound over files of this folder, which could not be removed otherwise.
        subprocess.run(["umount", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt"], stderr=subprocess.DEVNULL)
    sys.exit(1 if fetching.failures else 0)


main()
