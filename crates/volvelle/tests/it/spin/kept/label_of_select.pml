// states 270 transitions 512 verdict ok
// The same for a `select` that counts.
byte x, y, z;
byte i, n; active proctype P() { L: select (i : 1 .. n+2); n++; if :: n < 3 -> goto L :: else fi }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
