// states 6 transitions 6 verdict ok
// `else` beside a rendezvous that another process takes.
chan q = [0] of { byte }; byte x;
active proctype A() { if :: { q!1 -> x = 1 } :: else -> x = 2 fi }
active proctype B() { end: q?_ }
