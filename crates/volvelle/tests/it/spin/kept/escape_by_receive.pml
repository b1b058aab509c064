// states 73 transitions 111 verdict error
// An escape and what it interrupts receive the same message.
byte x; chan q2 = [0] of { bit };
active proctype P0() { bit k;
  { q2?k; x = 1 } unless { q2 ? 0 -> x = 4 };
}
active proctype P1() { x = 5; q2!0; x = 6 }
active proctype P2() { x = 7; q2!1; x = 8 }
