#!/usr/bin/env python3
"""The files of Packaging/kubernetes, checked and lived: kubernetes.py VQ BINARIES SHOP

Every file is valid for its kind (kubernetes-validate of PyPI, strictly), every container has the rights and the limits that a cluster wants, and every
kustomization names what is there. Then the commands of the files run here as processes, with folders for volumes, in the order of a cluster: start,
publish, roll, kill one, restore. While servers roll, not one request may be lost. BINARIES is the folder of PostgreSQL's programs. One line a check;
exit code 1 if one fails.
"""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import kubernetes_validate
import yaml

TOP = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(TOP / "Tests/System/postgres"))
from servers import Server, free_port  # noqa: E402

FILES = TOP / "Packaging/kubernetes"
VERSIONS = ["1.31", "1.34"]
vq, binaries, shop = sys.argv[1:4]
vq = os.path.abspath(vq)
failures = 0


def say(name, holds, detail=""):
    global failures
    failures += not holds
    print(("ok    " if holds else "FAIL  ") + name + ("" if holds else f": {detail}"), flush=True)


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def template(document):
    """The template of the pods of a document, or None."""
    spec = document.get("spec", {})
    if document["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    return spec.get("template", {}).get("spec") if document["kind"] in ("CronJob", "Job", "Deployment") else None


def check_files():
    wrong, pods, count = [], [], 0
    for path in sorted(FILES.glob("*/*.yaml")):
        if path.name == "kustomization.yaml":
            continue
        for document in documents(path):
            count += 1
            for version in VERSIONS:
                try:
                    kubernetes_validate.validate(document, version, strict=True)
                except Exception as error:  # noqa: BLE001
                    wrong.append((path.name, version, str(error)[:200]))
            pod = template(document)
            if pod:
                pods.append((path.relative_to(FILES), document, pod))
    say(f"{count} documents are valid in Kubernetes {' and '.join(VERSIONS)}", not wrong and count > 12, wrong)
    loose = []
    for path, document, pod in pods:
        rights, container = pod["securityContext"], pod["containers"][0]
        own = container["securityContext"]
        held = [rights["runAsNonRoot"], rights["runAsUser"] == 10001, not pod["automountServiceAccountToken"],
                own["readOnlyRootFilesystem"], not own["allowPrivilegeEscalation"], own["capabilities"] == {"drop": ["ALL"]},
                "memory" in container["resources"]["limits"], "cpu" in container["resources"]["requests"]]
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        held.append(mounted == {volume["name"] for volume in pod["volumes"]})
        if document["kind"] == "Deployment":
            held.append({"startupProbe", "readinessProbe", "livenessProbe", "lifecycle"} <= set(container))
        if not all(held):
            loose.append((str(path), held))
    say(f"{len(pods)} pods are not root, write only to volumes, and have limits", not loose and len(pods) >= 7, loose)
    unnamed = []
    for folder in sorted(path for path in FILES.iterdir() if path.is_dir()):
        named = set(yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"])
        there = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
        if {name for name in named if not name.startswith("../")} != there or not all((folder / name).exists() for name in named):
            unnamed.append((folder.name, named, there))
    say("each kustomization names the files that are there", not unnamed, unnamed)


class Cluster:
    """Runs the pods of files as processes."""

    def __init__(self, folder, addresses={}):
        self.folder, self.addresses, self.volumes, self.pods = folder, addresses, {}, []

    def volume(self, volume, pod):
        claim = volume.get("persistentVolumeClaim", {}).get("claimName") or volume.get("secret", {}).get("secretName")
        # An emptyDir belongs to its pod.
        path = self.folder / (claim or f"{pod}-{volume['name']}")
        path.mkdir(parents=True, exist_ok=True)
        return path

    def command(self, file, pod, port=None):
        document = next(one for one in documents(FILES / file) if template(one))
        spec = template(document)
        container = spec["containers"][0]
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
        for one in container.get("env", []):
            reference = one.get("valueFrom", {})
            if "fieldRef" in reference:
                environment[one["name"]] = pod
        folders = {mount["mountPath"]: self.volume(next(v for v in spec["volumes"] if v["name"] == mount["name"]), pod)
                   for mount in container["volumeMounts"]}
        environment["TMPDIR"] = str(folders["/tmp"])
        arguments = []
        for argument in container["args"]:
            for name, value in environment.items():
                argument = argument.replace(f"$({name})", value)
            for address, other in self.addresses.items():
                argument = argument.replace(address, other)
            head, separator, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
            for mount in sorted(folders, key=len, reverse=True):
                if value == mount or value.startswith(mount + "/"):
                    value = str(folders[mount]) + value[len(mount):]
                    break
            if head == "--port" and port:
                value = str(port)
            if head == "--host":
                value = "127.0.0.1"
            arguments.append(head + separator + value)
        return [vq, *arguments], environment

    def job(self, file, pod="job"):
        command, environment = self.command(file, pod)
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)

    def serve(self, file, pod):
        port = free_port()
        command, environment = self.command(file, pod, port)
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=open(self.folder / f"{pod}.log", "w"))
        server = Pod(process, port, pod)
        self.pods.append(server)
        return server

    def end(self):
        for pod in self.pods:
            pod.process.kill()
            pod.process.wait()


class Pod:
    def __init__(self, process, port, name):
        self.process, self.port, self.name, self.takes = process, port, name, False

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {key}", **({"Content-Type": "image/jpeg"} if body else {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ready(self, seconds=60):
        """Waits as the probes do."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and self.process.poll() is None:
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    self.takes = True
                    return True
            except OSError:
                pass
            time.sleep(0.1)
        return False

    def found(self, photo):
        """The answer to a photo; a machine that is busy gets further tries to give a whole one."""
        for _ in range(20):
            status, text = self.ask("POST", "/v1/match?deadlineMs=2000", photo)
            document = json.loads(text)
            if status != 200 or document["complete"]:
                break
        return status, [(match["id"], match["confidence"]) for match in document.get("values", [])]

    def generation(self):
        return self.ask("GET", "/readyz")[1] and json.loads(self.ask("GET", "/v1/catalogue")[1])["generation"]

    def until_generation(self, generation):
        for _ in range(300):
            if self.generation() >= generation:
                return True
            time.sleep(0.1)
        return False

    def end(self):
        """The end that a cluster gives: requests go elsewhere first, then SIGTERM."""
        self.takes = False
        time.sleep(0.5)
        self.process.terminate()
        return self.process.wait(timeout=30)


def write_feed(folder, count):
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "images").exists():
        shutil.copytree(pathlib.Path(shop) / "images", folder / "images")
    rows = (pathlib.Path(shop) / "catalogue.jsonl").read_text().splitlines(True)
    (folder / "feed.jsonl").write_text("".join(rows[:count]))


def live_in_a_directory(folder):
    cluster = Cluster(folder)
    write_feed(folder / "vq-shop", 31)
    (folder / "vq-keys").mkdir(parents=True)
    shutil.copy(keys, folder / "vq-keys/keys.txt")
    try:
        early = cluster.serve("directory/server.yaml", "early")
        say("directory: a server without an index ends with a reason", early.process.wait(timeout=30) == 5)
        first = cluster.job("directory/night.yaml")
        say("directory: the first night makes the index", first.returncode == 0, first.stderr)
        server = cluster.serve("directory/server.yaml", "a")
        say("directory: the server is ready", server.ready() and server.generation() == 1)
        write_feed(folder / "vq-shop", 32)
        night = cluster.job("directory/night.yaml")
        say("directory: a night is published to the server that runs", night.returncode == 0 and server.until_generation(2), night.stderr)
        before = server.found(photo)
        backup = cluster.job("directory/backup.yaml", "sunday")
        say("directory: a backup is made meanwhile", backup.returncode == 0 and (folder / "vq-backup/sunday").is_dir(), backup.stderr)
        server.process.kill()
        server.process.wait()
        server = cluster.serve("directory/server.yaml", "b")
        say("directory: after a kill the next one answers alike", server.ready() and server.found(photo) == before)
        say("directory: it ends with 0", server.end() == 0)
        shutil.rmtree(folder / "vq-shop/shop.vq")
        os.rename(folder / "vq-backup/sunday", folder / "vq-shop/shop.vq")
        server = cluster.serve("directory/server.yaml", "c")
        say("directory: restored, it answers as before", server.ready() and server.found(photo) == before and before[1], before)
    finally:
        cluster.end()


def live_in_postgres(folder, way, count, options=()):
    database = Server(folder / "database", binaries)
    database.sql("create role reader login", "create role writer login")
    host = f"host={database.folder}&port={database.port}"

    def address(user):
        return f"postgres:///postgres?user={user}&{host}"

    # In a cluster, the service "postgres" has the database "shop".
    addresses = {f"postgres://{user}@postgres/shop?": address(user) + "&" for user in ("owner", "writer", "reader")}
    addresses |= {f"postgres://{user}@postgres/shop": address(user) for user in ("owner", "writer", "reader")}
    cluster = Cluster(folder, addresses)
    write_feed(folder / "vq-feed", 31)
    (folder / "vq-keys").mkdir()
    shutil.copy(keys, folder / "vq-keys/keys.txt")
    try:
        made = cluster.job("postgres/init.yaml")
        say(f"{way}: the tables are made", made.returncode == 0, made.stderr)
        database.sql("grant vq_reader to reader", "grant vq_writer to writer")
        for option in options:
            made = subprocess.run([vq, "postgres", "init", "--index", address("owner"), *option], capture_output=True, text=True)
            say(f"{way}: the shard is named", made.returncode == 0, made.stderr)
        night = cluster.job("postgres/night.yaml")
        say(f"{way}: the first night", night.returncode == 0, night.stderr)
        pods = [cluster.serve(f"{way}/server.yaml", f"pod-{number}") for number in range(count)]
        say(f"{way}: {count} servers are ready", all(pod.ready() for pod in pods), (folder / "pod-0.log").read_text()[-500:])
        write_feed(folder / "vq-feed", 32)
        night = cluster.job("postgres/night.yaml")
        say(f"{way}: the next night reaches every server", night.returncode == 0 and all(pod.until_generation(2) for pod in pods), night.stderr)
        answers = [pod.found(photo) for pod in pods]
        say(f"{way}: all answer alike", answers[0][1] and all(answer == answers[0] for answer in answers), answers)

        asked, lost, stop = [0], [], threading.Event()

        def ask():
            turn = 0
            while not stop.is_set():
                takers = [pod for pod in list(pods) if pod.takes]
                pod = takers[turn % len(takers)]
                turn += 1
                try:
                    answer = pod.found(photo)
                    if answer != answers[0]:
                        lost.append((pod.name, answer))
                except Exception as error:  # noqa: BLE001
                    lost.append((pod.name, repr(error)))
                asked[0] += 1

        asking = threading.Thread(target=ask)
        asking.start()
        codes = []
        for number in range(count):
            fresh = cluster.serve(f"{way}/server.yaml", f"fresh-{number}")
            if not fresh.ready():
                say(f"{way}: a fresh server is ready", False, (folder / f"fresh-{number}.log").read_text()[-500:])
            pods.append(fresh)
            codes.append(pods[0].end())
            pods.pop(0)
        stop.set()
        asking.join()
        say(f"{way}: {count} servers roll, none of the requests is lost", not lost and codes == [0] * count and asked[0] > 3, (lost[:3], codes, asked))
        pods[0].process.kill()
        pods[0].process.wait()
        rest = [pod.found(photo) for pod in pods[1:]]
        say(f"{way}: after a kill the others answer", rest and all(answer == answers[0] for answer in rest), rest)
        again = cluster.serve(f"{way}/server.yaml", "again")
        say(f"{way}: and the one in its place", again.ready() and again.found(photo) == answers[0])

        # The database is lost; its dump comes back under another name.
        dump = folder / "dump"
        database.tool("pg_dump", "-Fc", "-h", database.folder, "-p", database.port, "-U", "owner", "-f", database.folder / "dump", "postgres")
        database.sql("drop schema vq cascade")
        database.tool("pg_restore", "-h", database.folder, "-p", database.port, "-U", "owner", "-d", "postgres", database.folder / "dump", check=False)
        fresh = cluster.serve(f"{way}/server.yaml", "restored")
        say(f"{way}: restored, a fresh server answers as before", fresh.ready() and fresh.found(photo) == answers[0], dump)
    finally:
        cluster.end()
        database.stop("immediate")


check_files()
photo = (pathlib.Path(shop).parent / "queries/q06-oats.jpg").read_bytes()
with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name)
    # PostgreSQL runs as another user.
    top.chmod(0o755)
    keys = top / "keys.txt"
    key = subprocess.run([vq, "key", keys, "--name", "shop", "--role", "write"], capture_output=True, text=True).stdout.strip()
    live_in_a_directory(top / "directory")
    live_in_postgres(top / "copies", "copies", 3)
    live_in_postgres(top / "engine", "engine", 2, [["--shard", "self"]])
sys.exit(failures > 0)
