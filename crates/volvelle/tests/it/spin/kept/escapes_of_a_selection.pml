// states 39 transitions 58 verdict ok
// Three levels, two of them selections.
byte x, y, z;
active proctype P() { if :: { if :: { { x == 1 -> z = 2 } unless { y == 1 -> z = 3 } } unless { x == 2 -> z = 4 } :: y == 2 -> z = 20 fi } unless { z == 1 -> z = 12 } :: z == 3 fi }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
