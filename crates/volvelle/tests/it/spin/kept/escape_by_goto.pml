// states 18 transitions 22 verdict ok
// An escape that begins with `goto` interrupts where the statement behind the label can happen.
byte x, y, z;
active proctype P() { do :: { x == 1 -> z = 2 } unless { goto L } od; L: z = 3; }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
