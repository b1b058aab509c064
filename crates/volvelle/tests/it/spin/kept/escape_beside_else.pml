// states 68 transitions 118 verdict ok
// An option with an escape beside `else`.
byte x, y, z;
active proctype P() { do :: { x == 1 -> z = 2 } unless { x == 2 -> z = 3; break } :: else -> z = 5 od; z = 4 }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
