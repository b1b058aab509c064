// states 27 transitions 42 verdict ok
// A sorted send compares what is sent, not what is left of it in the channel.
byte g2;
chan q4 = [2] of { byte };
active proctype P1() {
  do
  ::
    do
    ::
      q4 ! (len(q4)) % 2;
        q4 ? g2;
    od;
  od;
}
active proctype P2() {
  q4 !! ((~1)) % 3;
}
