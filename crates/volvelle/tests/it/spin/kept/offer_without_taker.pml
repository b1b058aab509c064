// states 5 transitions 4 verdict ok
// The longest offer is one that nobody takes.
chan wide = [0] of { byte, byte, byte };
chan narrow = [0] of { byte };
active proctype Sender() {
  do
  :: wide ! 1, 2, 3 -> assert(false)
  :: narrow ! 4 -> break
  od
}
active proctype Taker() {
  byte got;
  narrow ? got;
  assert(got == 4)
}
