// states 11 transitions 10 verdict ok
// A label before `unless`.
byte way;
active proctype Runner() {
  byte rounds;
again:
  { way = 1; way = 2 } unless { way == 2 -> rounds++ };
  if
  :: rounds < 2 -> goto again
  :: else
  fi
}
