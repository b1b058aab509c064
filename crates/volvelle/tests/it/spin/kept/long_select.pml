// states 5611 transitions 5610 verdict error
// Of 33 values each is a step, more are counted.
byte a, b; active proctype P() { select(a : 1 .. 33); select(b : 1 .. 34); assert(a != 9 || b != 4) }
