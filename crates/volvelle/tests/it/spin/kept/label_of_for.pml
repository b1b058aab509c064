// states 149 transitions 256 verdict ok
// A label of a `for` means the loop behind its first assignment.
byte x, y, z;
byte i, n; active proctype P() { L: for (i : 1 .. 2) { z = 3 } n++; if :: n < 3 -> goto L :: else fi }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
