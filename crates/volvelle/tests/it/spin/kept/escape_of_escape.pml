// states 43 transitions 63 verdict ok
// An escape of an escape.
byte x, y, z;
active proctype P() { if :: { x == 1 -> z = 2 } unless { if :: y == 1 -> z = 9 :: { y == 2 -> z = 3 } unless { x == 2 -> z = 12 } fi } :: x == 7 fi }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
