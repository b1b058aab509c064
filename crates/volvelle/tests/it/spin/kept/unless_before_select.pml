// states 110 transitions 167 verdict ok
// The same for a `select` that counts.
byte x, y, z;
byte i; active proctype P() { if :: select (i : 1 .. x+2) unless { x == 1 -> z = 9 } :: y == 1 -> z = 4 fi }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
