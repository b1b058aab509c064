// states 31 transitions 45 verdict ok
// `atomic` that begins with `unless`, as an option.
byte x, y, z;
active proctype P() { if :: atomic { { x == 1; z = 3; y == 1; z = 4 } unless { x == 2 -> z = 3; z= 5 } } :: y == 2 fi; z = 4 }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
