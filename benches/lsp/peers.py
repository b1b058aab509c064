"""Language servers of other languages to compare with, installed by npm into a folder outside the repository.

- tsgo, the server of TypeScript in Go (`@typescript/native-preview`), as a native program without the script around it
- the server of N4JS (`n4js-cli`), made with Xtext, on the Java that is there
- a server that Langium makes of a grammar of ours (`langium/`), on Node.js
"""

import json
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

from texts import n4js, prism, typescript

HERE = pathlib.Path(__file__).resolve().parent

TSGO = {"@typescript/native-preview": "7.0.0-dev.20260707.2"}
N4JS = {"n4js-cli": "0.37.9", "n4js-runtime": "0.37.9", "n4js-runtime-es2015": "0.37.9"}

# What its documentation asks of a project.
N4JS_PROJECT = {
    "name": "texts",
    "version": "0.0.0",
    "private": True,
    "type": "module",
    "dependencies": N4JS,
    "n4js": {
        "projectType": "library",
        "output": "src-gen",
        "sources": {"source": ["src"]},
        "requiredRuntimeLibraries": ["n4js-runtime-es2015"],
    },
}


@dataclass
class Peer:
    """A server: how it starts, and what it is given."""

    title: str
    command: list[str]
    folder: str
    name: str
    language: str
    make: Callable[[int], str]
    pulls: bool = False


def npm(folder, package):
    """Installs the packages that a description of a package names, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(package, indent=2)
    described = folder / "package.json"
    if described.exists() and described.read_text() == text and (folder / "node_modules").is_dir():
        return
    described.write_text(text)
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(["npm", "install", *options], cwd=folder, check=True, stdout=sys.stderr)


def installed(folder):
    """The servers that can run here; says of the others why not."""
    peers = []
    folder = folder.resolve()
    if not shutil.which("npm"):
        print("skipped: other servers: there is no npm", file=sys.stderr)
        return peers

    types = folder / "tsgo"
    npm(types, {"name": "tsgo", "private": True, "dependencies": TSGO})
    native = sorted(types.glob("node_modules/@typescript/native-preview-*/lib/tsgo"))
    if native:
        command = [str(native[0]), "--lsp", "--stdio"]
        peers.append(Peer("TypeScript (tsgo)", command, str(types), "m.ts", "typescript", typescript, True))
    else:
        print("skipped: tsgo: its package has no program for this machine", file=sys.stderr)

    project = folder / "n4js"
    npm(project, N4JS_PROJECT)
    (project / "src").mkdir(exist_ok=True)
    jar = project / "node_modules" / "n4js-cli" / "bin" / "n4jsc.jar"
    if shutil.which("java"):
        (project / "src" / "m.n4js").write_text("")
        command = ["java", "-jar", str(jar), "lsp", "--stdio"]
        peers.append(Peer("N4JS (Xtext)", command, str(project), "src/m.n4js", "n4js", n4js))
    else:
        print("skipped: the server of N4JS: there is no Java", file=sys.stderr)

    made = folder / "langium"
    made.mkdir(parents=True, exist_ok=True)
    for name in ("package-lock.json", ".npmrc", "server.mjs", "modules.langium"):
        shutil.copy(HERE / "langium" / name, made / name)
    npm(made, json.loads((HERE / "langium" / "package.json").read_text()))
    command = ["node", str(made / "server.mjs")]
    peers.append(Peer("modules (Langium)", command, str(made), "m.prism", "prism", prism))
    return peers
