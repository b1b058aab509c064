// states 69 transitions 102 verdict ok
// Escapes of several options: those of later ones first.
byte x, y, z;
active proctype P() { end: if :: { x == 1 -> z = 2; z = 4 } unless { x == 2 -> z = 3 } :: { y == 1 -> z=5; z=6 } unless { y == 2 -> z = 7 } :: y == 1 -> z = 9 fi }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
