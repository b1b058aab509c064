// states 28 transitions 30 verdict error
// Priorities, with an atomic sequence that loses control, a provided clause and an else.
byte x;
active proctype A() priority 4 { x=1; L: if :: x==2 :: else -> x=3 fi; x= 4; }
active proctype B() priority 9 { x == 3; set_priority(0, 12); x = 2; _priority = x+1; x =9 }
active proctype C() priority 4 { atomic { x=1; x=3; x=7; x = 3; skip }; x=8; }
active proctype D() provided (x != 1) { x=1; x=2}
