/* Election on a ring (Dolev, Klawe, Rodeh; Peterson): processes with channels as parameters, messages of two fields. */
#ifndef N
#define N 8
#endif
#ifndef L
#define L 1
#endif

mtype = { one, two, winner };
chan q[N] = [L] of { mtype, byte };
byte leaders;

proctype Node(chan in, out; byte mine) {
    bit active_now = 1, knows;
    byte number, maximum = mine, neighbour;
    out!one(mine);
    do
    :: in?one(number) ->
       if
       :: active_now ->
          if
          :: number != maximum -> out!two(number); neighbour = number
          :: else -> knows = 1; out!winner(number)
          fi
       :: else -> out!one(number)
       fi
    :: in?two(number) ->
       if
       :: active_now ->
          if
          :: neighbour > number && neighbour > maximum -> maximum = neighbour; out!one(neighbour)
          :: else -> active_now = 0
          fi
       :: else -> out!two(number)
       fi
    :: in?winner(number) ->
       if
       :: number != mine -> skip
       :: else -> leaders++; assert(leaders == 1)
       fi;
       if
       :: knows -> skip
       :: else -> out!winner(number)
       fi;
       break
    od
}

init {
    byte i = 0;
    atomic {
        do
        :: i < N -> run Node(q[i], q[(i + 1) % N], (N + 2 - i) % N + 1); i++
        :: else -> break
        od
    }
}
