// states 27 transitions 38 verdict ok
// Main sides without braces, one in the other.
byte x, y, z;
active proctype P() { { x == 1 unless { x == 2 -> z = 3 } } unless { y == 2 -> z = 8 } }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
