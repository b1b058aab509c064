// states 82 transitions 124 verdict ok
// The first assignment of a `for` is in front of `unless`.
byte x, y, z;
byte i; active proctype P() { for (i : 1 .. 2) { y == 2; z = i } unless { x == 1 -> z = 9 }; z = 4 }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
