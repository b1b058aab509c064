// states 5 transitions 4 verdict error
// An escape of an option interrupts the whole selection.
byte x, y, z;
active proctype P() { end: if :: { x == 1 -> x = 2; x = 4 } unless { x == 0 -> x = 3; assert(false) } :: x == 7 fi }
