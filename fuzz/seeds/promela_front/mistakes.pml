#define f(a) a + )
inline g(v) { v = f(v); g(v) }
init { if (x == 1) { x += 1 } else { ++x }
  while (x) { x = 'ab } for (i = 0; i < 3; i++) { skip }
  c_code { now.x = 1; }
  x = y
    + 1
  L: byte z
}
ltl { [] x == 1 }
