#!/usr/bin/env python3
"""How fast language servers answer while people type, and how much memory they take.

Each server gets texts of its language, of 1,000 and of 10,000 lines (and, with --corpus, the largest published models), and is asked what an editor
asks: an edit until its diagnostics, a hover, a definition, a completion, the colours of the whole text. Times are milliseconds of CPU time of all
threads of the server (`/proc/PID/task/*/schedstat`), medians and worst cases over many places; what is started is wall time, and memory the resident
set.

    benches/lsp/run.py --binary target/release/volvelle [--corpus ../shared/corpus] [--peers [FOLDER]] [--memory]

With `--peers`, servers of other languages run in the same minutes on texts of as many lines: see `peers.py`, which installs them. Each server
has had ten edits before it is measured, so that compilers at run time have seen the code.
"""

import argparse
import json
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

from peers import installed
from texts import lotos, names, prism, promela

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Server:
    """A language server on pipes."""

    def __init__(self, command, folder, pull):
        self.start = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
        )
        self.number = 0
        self.versions = {}
        self.pull = pull
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {
                "completion": {"completionItem": {"snippetSupport": True}},
                "hover": {"contentFormat": ["markdown"]},
                "semanticTokens": {
                    "requests": {"full": True},
                    "tokenTypes": [],
                    "tokenModifiers": [],
                    "formats": ["relative"],
                },
            },
        }
        if pull:
            capabilities["textDocument"]["diagnostic"] = {}
        answer = self.ask(
            "initialize",
            {"processId": None, "rootUri": pathlib.Path(folder).as_uri(), "capabilities": capabilities},
        )
        self.capabilities = answer["result"]["capabilities"]
        self.started = (time.perf_counter() - self.start) * 1000
        self.tell("initialized", {})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the server is gone")
            if line == b"\r\n":
                break
            # The server of N4JS says two lines in its own words first.
            if b":" not in line or b" " in line.split(b":")[0]:
                continue
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        if "method" in message and "id" in message:
            # What servers ask of clients is granted.
            result = [None] if message["method"] == "workspace/configuration" else None
            self.send({"id": message["id"], "result": result})
        return message

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message

    def open(self, uri, language, text):
        self.versions[uri] = 1
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        self.diagnostics(uri)

    def diagnostics(self, uri):
        """Waits for the diagnostics of the version that was sent last."""
        if self.pull:
            return self.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        while True:
            message = self.receive()
            if message.get("method") != "textDocument/publishDiagnostics":
                continue
            params = message["params"]
            if params["uri"] == uri and params.get("version", self.versions[uri]) == self.versions[uri]:
                return message

    def edit(self, uri, line, character, old, new):
        """Replaces some characters; milliseconds until the diagnostics are there."""
        start = self.used()
        self.versions[uri] += 1
        change = {
            "range": {
                "start": {"line": line, "character": character},
                "end": {"line": line, "character": character + old},
            },
            "text": new,
        }
        document = {"uri": uri, "version": self.versions[uri]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        self.diagnostics(uri)
        return self.used() - start

    def timed(self, method, params):
        start = self.used()
        answer = self.ask(method, params)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return self.used() - start

    def used(self):
        """Milliseconds of CPU time of all threads."""
        total = 0
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            try:
                total += int((task / "schedstat").read_text().split()[0])
            except OSError:
                pass
        return total / 1e6

    def megabytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


WARM_UP = 10
PLACES = 40
# After so many seconds no further place is looked at, and after twice as many the server is given up.
PATIENCE = 60


class TooSlow(Exception):
    """A server did not come to the end."""


def give_up(*_):
    raise TooSlow(f"no end within {2 * PATIENCE} s")


def measure(command, folder, name, language, text, pull):
    server = Server(command, folder, pull)
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(2 * PATIENCE)
    try:
        return measured(server, folder, name, language, text)
    finally:
        signal.alarm(0)
        server.process.kill()
        server.process.wait()


def measured(server, folder, name, language, text):
    path = pathlib.Path(folder) / name
    uri = path.as_uri()
    server.open(uri, language, text)
    document = {"textDocument": {"uri": uri}}
    server.ask("textDocument/hover", document | {"position": {"line": 0, "character": 0}})
    all_lines = text.splitlines()
    places = names(text)
    places = places[:: max(1, len(places) // PLACES)][:PLACES]

    def edited(line, character):
        first = server.edit(uri, line, character, 1, "Q")
        return first, server.edit(uri, line, character, 1, all_lines[line][character])

    for line, character in places[: WARM_UP // 2]:
        edited(line, character)
    has_tokens = "semanticTokensProvider" in server.capabilities
    times = {what: [] for what in WHAT}
    begun = time.perf_counter()
    for number, (line, character) in enumerate(places):
        if number >= 3 and time.perf_counter() - begun > PATIENCE:
            break
        at = document | {"position": {"line": line, "character": character + 1}}
        times["edit"] += edited(line, character)
        if has_tokens:
            times["tokens"].append(server.timed("textDocument/semanticTokens/full", document))
        for what in ("hover", "definition", "completion"):
            times[what].append(server.timed(f"textDocument/{what}", at))
    result = {"start": server.started, "memory": server.megabytes()}
    result |= {what: (statistics.median(all), max(all)) for what, all in times.items() if all}
    server.end()
    return result


WHAT = ("edit", "hover", "definition", "completion", "tokens")
HEAD = [
    "| text | lines | start | edit to diagnostics | hover | definition | completion | colours | MB |",
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
]


def row(name, lines, result):
    cells = ["{:.1f} ({:.1f})".format(*result[what]) if what in result else "none" for what in WHAT]
    return f"| {name} | {lines:,} | {result['start']:.0f} | {' | '.join(cells)} | {result['memory']:.0f} |"


def ratio(name, lines, theirs, ours):
    """How many times as much a server takes as Volvelle for PRISM: medians, and worst cases in brackets."""

    def cell(what):
        if what not in theirs:
            return "none"
        return "{:.1f} ({:.1f})".format(*(their / max(our, 0.01) for their, our in zip(theirs[what], ours[what])))

    start, memory = (theirs[what] / ours[what] for what in ("start", "memory"))
    return f"| {name} | {lines:,} | {start:.0f} | {' | '.join(cell(what) for what in WHAT)} | {memory:.1f} |"


def many_edits(command, folder):
    """Memory after 100 and after 10,000 edits of one text."""
    server = Server(command, folder, False)
    uri = (pathlib.Path(folder) / "edits.prism").as_uri()
    server.open(uri, "prism", prism(1000))
    sizes = []
    for number in range(10_000):
        server.edit(uri, 1, 14, 1, str(number % 9 + 1))
        if number in (99, 9_999):
            sizes.append(server.megabytes())
    server.end()
    return sizes


def whole_corpus(command, corpus):
    """Memory with every published model open."""
    server = Server(command, str(corpus), False)
    endings = {".prism": "prism", ".sm": "prism", ".nm": "prism", ".pm": "prism", ".pml": "promela", ".lotos": "lotos"}
    count = 0
    for path in sorted(corpus.rglob("*")):
        if path.suffix in endings and path.is_file():
            text = path.read_bytes().decode(errors="replace")
            server.open(path.as_uri(), endings[path.suffix], text)
            count += 1
    size = server.megabytes()
    server.end()
    return count, size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "target" / "release" / "volvelle"))
    parser.add_argument("--corpus", type=pathlib.Path, help="the folder of published models")
    parser.add_argument(
        "--peers",
        type=pathlib.Path,
        nargs="?",
        const=ROOT / "target" / "lsp-peers",
        help="servers of other languages, too: where they are, or are installed",
    )
    parser.add_argument("--memory", action="store_true", help="10,000 edits, too")
    options = parser.parse_args()
    if options.corpus:
        options.corpus = options.corpus.resolve()
    ours = [str(pathlib.Path(options.binary).resolve()), "lsp"]
    others = installed(options.peers) if options.peers else []
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(HEAD))
        made = [("m.prism", "prism", prism), ("m.pml", "promela", promela), ("m.lotos", "lotos", lotos)]
        ours_of, ratios = {}, []
        for lines in (1_000, 10_000):
            for name, language, make in made:
                text = make(lines)
                result = measure(ours, folder, name, language, text, False)
                ours_of[language, lines] = result
                print(row(language, text.count("\n"), result), flush=True)
            for peer in others:
                text = peer.make(lines)
                try:
                    result = measure(peer.command, peer.folder, peer.name, peer.language, text, peer.pulls)
                except (EOFError, RuntimeError, TooSlow) as error:
                    print(f"| {peer.title} | {lines:,} | {error} |", flush=True)
                    continue
                print(row(peer.title, text.count("\n"), result), flush=True)
                ratios.append(ratio(peer.title, text.count("\n"), result, ours_of["prism", lines]))
        if ratios:
            print("\nHow many times as much as Volvelle takes for PRISM:\n")
            print("\n".join(HEAD + ratios))
        if options.corpus:
            files = [path for path in options.corpus.rglob("*") if path.suffix in (".prism", ".sm", ".pml", ".lotos")]
            largest = sorted(files, key=lambda path: path.stat().st_size)[-6:]
            for path in largest:
                language = {".pml": "promela", ".lotos": "lotos"}.get(path.suffix, "prism")
                text = path.read_text(errors="replace")
                result = measure(ours, str(path.parent), path.name, language, text, False)
                print(row(f"{path.name}", text.count("\n"), result), flush=True)
            count, size = whole_corpus(ours, options.corpus)
            print(f"\n{count} published models open: {size:.0f} MB")
        if options.memory:
            first, last = many_edits(ours, folder)
            print(f"after 100 edits {first:.1f} MB, after 10,000 edits {last:.1f} MB")


if __name__ == "__main__":
    main()
