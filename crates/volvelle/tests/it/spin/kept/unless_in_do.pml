// states 3 transitions 2 verdict ok
// An escape of the only option of a loop: offered where the process stands at the loop.
byte x, y, z;
active proctype P() { end: do :: { x == 1 -> x = 2 } unless { x == 0 -> x = 5 } od }
