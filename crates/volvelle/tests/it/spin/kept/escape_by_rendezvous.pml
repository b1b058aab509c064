// states 18 transitions 20 verdict error
// An escape that is a rendezvous interrupts where somebody takes it.
byte x; chan q2 = [0] of { bit };
active proctype P0() {
  { x = 1; x = 2; x = 3 } unless { q2 ! 0 -> x = 4 };
}
active proctype P1() { bit k; x = 5; q2?k; x = 6 }
