// states 81 transitions 102 verdict ok
// Processes that start with priorities, and change their own.
byte x;
init priority 3 { atomic { run A(2); run A(3) priority 2; run A(4) priority 3; _priority = 1 } }
proctype A(byte k) { do :: x < 3 -> x = x+1; set_priority(_pid, (k+x)%4+1) :: x >= 3 -> break od }
