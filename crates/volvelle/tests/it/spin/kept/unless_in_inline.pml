// states 51 transitions 81 verdict ok
// An inline that begins with `unless`.
byte x, y, z;
inline I() { { x == 1; z = 3; z = 4 } unless { x == 2 -> z = 3; z= 5 } } active proctype P() { if :: I() :: y == 2 fi; z = 4 }
active proctype E() { x = 1; y = 1; x = 2; y = 2; z = 1 }
