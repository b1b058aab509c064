/* A sliding window over channels that lose messages: the sender goes back and sends again, the receiver acknowledges. */
#ifndef W
#define W 3
#endif
#define M (W + 1)
#ifndef SLOTS
#define SLOTS 4
#endif

mtype = { data, ack };
chan forth = [SLOTS] of { mtype, byte, byte };
chan back = [SLOTS] of { mtype, byte };

active proctype Sender() {
    byte base, next, n;
    bit value[M];
    do
    :: (next + M - base) % M < W ->
       if
       :: value[next] = 0
       :: value[next] = 1
       fi;
       forth!data(next, value[next]);
       next = (next + 1) % M
    :: back?ack(n) ->
       if
       :: (n + M - base) % M < (next + M - base) % M ->
          do
          :: base != (n + 1) % M -> value[base] = 0; base = (base + 1) % M
          :: else -> break
          od
       :: else
       fi;
       n = 0
    :: base != next -> forth!data(base, value[base])
    od
}

active proctype Loser() {
    do
    :: forth?_,_,_
    :: back?_,_
    od
}

active proctype Receiver() {
    byte expected, n;
    bit v;
    do
    :: forth?data(n, v) ->
       if
       :: n == expected -> expected = (expected + 1) % M
       :: else
       fi;
       back!ack((expected + M - 1) % M);
       n = 0;
       v = 0
    od
}
