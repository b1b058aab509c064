// states 50 transitions 76 verdict ok
// An outer escape behind one of an option.
byte x, y, z;
active proctype P() { end: { if :: y == 1 -> z = 9 :: { x == 1 -> z = 2; z = 4 } unless { x == 2 -> z = 3 } fi } unless { y == 2 -> z = 8 } }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
