#define N 2
#define inc(v, by) v = v + by
#if N > 1
#include "a.h"
#endif
mtype = { red, green }
mtype : kind = { small, large }
typedef T { byte a[N]; chan c; unsigned u : 3 };
chan q = [N] of { mtype, byte, chan };
byte x, y[N] = { 1, 2 };
inline twice(v) { byte t; t = v; v = t * 2 }
inline sum(a, b) { return a + b }

active [N] proctype P() priority 2 provided (x < 5) {
  T t;
again:
  do
  :: q!red(x, q) -> inc(x, 1)
  :: q?green, eval(x), _ -> break
  :: q??[red, 1, _] -> q??<red, x, _>
  :: x > 1 -> twice(x); x = sum(x, y[0])
  :: else -> goto again
  od
  t.a[0] = (x == 1 -> 2 : 3)
  for (x : 0 .. N - 1) { y[x]++ }
  for (x in y) { y[x]-- }
  select (x : 1 .. 3);
  atomic { run Q(1, q); assert(nempty(q) || full(q)) }
  d_step { printf("x = %d\n", x); printm(red) }
  { x = 1; x = 2 } unless { timeout }
}
proctype Q(byte a; chan c) { xs c; c!!small(a, c); end: skip }
never { do :: P[0]@again || np_ :: P:x == 1 od }
ltl p { [] (x < 9 -> <> (x == 1 U P@again)) && (!X (len(q) == 0) W timeout) }
