// states 11 transitions 11 verdict ok
// Two priorities that differ by 2: SPIN does not tell them apart, unless with -DNOCOMP.
byte g1; 
active proctype P0() priority 3 {
  skip
}
active proctype P1() {
  if :: set_priority(0, 1);
  :: g1 = 0; 
  fi; g1 = 0; g1 = 0
}
