// states 3 transitions 2 verdict ok
// A body of declarations only: nothing leads to its end.
active [2] proctype Idle() {
  byte unused[2] = 1;
}
