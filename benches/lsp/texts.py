"""Texts that language servers are measured with: of as many lines as wanted, of parts of about six lines that refer to each other."""


def prism(lines):
    """A ring of stations, six lines each."""
    text = ["mdp", "const int N = 3;", "global turn : [0..N] init 0;"]
    number = 0
    while len(text) < lines:
        text += [
            f"module station{number}",
            f"  x{number} : [0..N] init 0; // what it has",
            f"  [step{number}] x{number}<N & turn=0 -> 0.5 : (x{number}'=x{number}+1) + 0.5 : true;",
            f"  [] x{number}=N -> (x{number}'=0) & (turn'=min(turn+1, N));",
            "endmodule",
            f'label "full{number}" = x{number}=N;',
        ]
        number += 1
    return "\n".join(text) + "\n"


def promela(lines):
    """Senders with a type of process each, eight lines each."""
    text = ["mtype = { ping, pong };", "byte turn;", "chan road = [2] of { mtype, byte };"]
    number = 0
    while len(text) < lines:
        text += [
            f"proctype Sender{number}(byte limit) {{",
            f"  byte count{number}; /* what was sent */",
            "  do",
            f"  :: count{number} < limit && turn == 0 -> road!ping(count{number}); count{number}++",
            "  :: else -> turn = turn + 1; break",
            "  od;",
            f"  assert(count{number} <= limit)",
            "}",
        ]
        number += 1
    return "\n".join(text + ["init { run Sender0(3) }"]) + "\n"


def lotos(lines):
    """Buffers that call themselves, five lines each."""
    text = ["specification BUFFERS [PUT, GET] : noexit", "behaviour", "  BUFFER0 [PUT, GET] (0)", "where"]
    number = 0
    while len(text) < lines:
        text += [
            f"process BUFFER{number} [PUT, GET] (HELD : NAT) : noexit :=",
            f"  PUT ?X : NAT [X <= 3]; BUFFER{number} [PUT, GET] (HELD + X)",
            "  []",
            f"  [HELD > 0] -> GET !HELD; BUFFER{number} [PUT, GET] (0) (* and again *)",
            "endproc",
        ]
        number += 1
    return "\n".join(text + ["endspec"]) + "\n"


def typescript(lines):
    """Classes with a method each, six lines each."""
    text = ['type Turn = "ping" | "pong";', "let turn: number = 0;"]
    number = 0
    while len(text) < lines:
        text += [
            f"class Station{number} {{",
            f"  count{number}: number = 0; // what it has",
            f"  step{number}(limit: number): Turn {{",
            f'    if (this.count{number} < limit && turn === 0) {{ this.count{number} = this.count{number} + 1; return "ping"; }}',
            '    turn = Math.min(turn + 1, limit); return "pong";',
            "  }}".replace("}}", "} }"),
        ]
        number += 1
    return "\n".join(text) + "\n"


def n4js(lines):
    """The same classes in N4JS, which has no types of literals."""
    text = ["let turn: int = 0;", "let most: int = 3;"]
    number = 0
    while len(text) < lines:
        text += [
            f"class Station{number} {{",
            f"  public count{number}: int = 0; // what it has",
            f"  public step{number}(limit: int): string {{",
            f'    if (this.count{number} < limit && turn === 0) {{ this.count{number} = this.count{number} + 1; return "ping"; }}',
            '    turn = turn + most; return "pong";',
            "  } }",
        ]
        number += 1
    return "\n".join(text) + "\n"


def names(text):
    """Places of names: line and character of each word that occurs more than once."""
    found = []
    for line, content in enumerate(text.splitlines()):
        at = 0
        for word in content.replace("'", " ").replace("(", " ").replace("=", " ").replace("<", " ").split(" "):
            if word[:1].isalpha() and any(c.isdigit() for c in word):
                found.append((line, content.find(word, at)))
            at += len(word) + 1
    return [place for place in found if place[1] >= 0]
