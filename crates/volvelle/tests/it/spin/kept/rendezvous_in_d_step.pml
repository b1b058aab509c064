// states 7 transitions 9 verdict ok
// A `d_step` that begins with a rendezvous: the rest of it belongs to the step of both.
chan q = [0] of { byte }; byte x;
active proctype P() { do :: q!3; x = 7 :: break od }
active proctype Q() { byte y; end: do :: d_step { q?y -> x = y; x++ } :: q?y od }
