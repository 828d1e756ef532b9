"""PostgreSQL servers, poolers and `vq serve` for tests, in a temporary folder. Standard library only."""
import contextlib
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SETTINGS = """
fsync = off
full_page_writes = off
jit = off
wal_level = replica
max_wal_senders = 4
unix_socket_permissions = 0777
max_connections = 60
log_statement = 'all'
log_line_prefix = '%u '
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A PostgreSQL server of a user that is not root, with sockets in its folder and a port of its own."""

    def __init__(self, folder, binaries, source=None, settings=""):
        self.folder, self.binaries = pathlib.Path(folder), binaries
        self.folder.mkdir(parents=True)
        self.data, self.port = self.folder / "data", free_port()
        self.account = None
        if os.geteuid() == 0:
            self.account = "nobody"
            os.chown(self.folder, pwd.getpwnam("nobody").pw_uid, -1)
        if source is None:
            self.tool("initdb", "-D", self.data, "-U", "owner", "--auth-local=trust", "--auth-host=scram-sha-256",
                      "-N", "--locale=C.UTF-8", "-E", "UTF8")
        else:
            self.tool("pg_basebackup", "-D", self.data, "-h", source.folder, "-p", source.port, "-U", "owner",
                      "-R", "-c", "fast", "-X", "stream")
        with open(self.data / "postgresql.conf", "a") as configuration:
            configuration.write(f"{SETTINGS}\nport = {self.port}\nunix_socket_directories = '{self.folder}'\n{settings}\n")
        if source is None:
            with open(self.data / "pg_hba.conf", "a") as rules:
                rules.write("host all all 0.0.0.0/0 scram-sha-256\n")
        self.start()

    def tool(self, name, *arguments, check=True):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}
        return subprocess.run([f"{self.binaries}/{name}", *map(str, arguments)], check=check, user=self.account,
                              env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd="/")

    def start(self):
        self.tool("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "-t", "30", "start")

    def stop(self, mode="fast"):
        self.tool("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop", check=False)

    def kill(self):
        """Ends the server like a crash of its machine would."""
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def restart(self):
        """Starts the server after a crash; its last processes may still be ending."""
        for attempt in range(20):
            try:
                return self.start()
            except subprocess.CalledProcessError:
                if attempt == 19:
                    raise
                time.sleep(0.25)

    def promote(self):
        self.tool("pg_ctl", "-D", self.data, "-w", "promote")

    def url(self, user="owner", database="postgres", **others):
        host = {"host": self.folder, "port": self.port, **others}
        return f"postgres:///{database}?user={user}&" + "&".join(f"{name}={value}" for name, value in host.items())

    def sql(self, *statements, user="owner", check=True):
        """The lines of a statement's answer."""
        command = ["psql", "-h", self.folder, "-p", self.port, "-U", user, "-d", "postgres", "-AtqX",
                   "-v", "ON_ERROR_STOP=1"]
        command[0] = f"{self.binaries}/psql"
        for statement in statements:
            command += ["-c", statement]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if check and done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout.split("\n")[:-1] if done.returncode == 0 else done.stderr

    def session(self):
        """A session that stays open: statements go to its input."""
        return subprocess.Popen([f"{self.binaries}/psql", "-h", str(self.folder), "-p", str(self.port), "-U", "owner",
                                 "-d", "postgres", "-AtqX"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def reset(self):
        """Removes the catalogue."""
        self.sql("drop schema if exists vq cascade")

    def log(self):
        return (self.folder / "log").read_text(errors="replace")


class Shop:
    """A running `vq serve`."""
    all = []

    def __init__(self, vq, *arguments, key=None, environment=None):
        self.key = key
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([vq, "serve", "--port", "0", "--quiet", *map(str, arguments)],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        self.all.append(self)
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            raise AssertionError("vq serve ended: " + self.log.read())
        self.port = int(re.search(r":(\d+)/", line)[1])

    def ask(self, method, target, body=None, media="application/json", at_least=None):
        """The status and the bytes of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": media}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if at_least is not None:
            headers["X-At-Least-Generation"] = str(at_least)
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

    def get(self, target):
        status, content = self.ask("GET", target)
        return json.loads(content) if status == 200 else {"status": status, "content": content}

    def generation(self):
        text = self.ask("GET", "/metrics")[1].decode()
        return int(re.search(r"^vq_catalogue_generation (\d+)", text, re.MULTILINE)[1])

    def waits_for(self, generation, seconds=10):
        """The seconds until the server has a generation, or None."""
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            if self.generation() >= generation:
                return time.monotonic() - begin
            time.sleep(0.02)
        return None

    def text_of_log(self):
        # Read at a position of its own: the server writes at the one that it shares with this process.
        file = self.log.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode(errors="replace")

    def logs(self, *texts):
        """Whether the log has some texts, which it may get after the answer, within five seconds."""
        for _ in range(100):
            if all(text in self.text_of_log() for text in texts):
                return True
            time.sleep(0.05)
        return False

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(timeout=30)
        self.process.stdout.close()


@contextlib.contextmanager
def temporary_folder():
    # Short, since the path of a socket has at most 107 bytes.
    folder = tempfile.mkdtemp(prefix="vqpg-", dir="/tmp")
    os.chmod(folder, 0o755)
    try:
        yield pathlib.Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
