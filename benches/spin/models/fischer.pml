/* Fischer's mutual exclusion with discrete time: each process has a timer that a clock counts down; writing takes at
   most D ticks, waiting at least W > D. */
#ifndef N
#define N 7
#endif
#ifndef D
#define D 3
#endif
#define W (D + 1)
#define OFF 255

byte id = 0;
byte timer[N] = OFF;
byte inside = 0;
byte late = 0;              /* processes that must write before time goes on */
bit writing[N];

active [N] proctype P() {
ask:
    do
    :: atomic { id == 0 -> timer[_pid] = D; writing[_pid] = 1; }
       do
       :: atomic { timer[_pid] != OFF ->
            if
            :: timer[_pid] == 0 -> late--
            :: else
            fi;
            writing[_pid] = 0;
            timer[_pid] = W;
            id = _pid + 1 }
          if
          :: atomic { timer[_pid] == 0 -> timer[_pid] = OFF; }
          fi;
          if
          :: atomic { id == _pid + 1 -> inside++; }
             assert(inside == 1);
             atomic { inside--; id = 0; }
          :: id != _pid + 1
          fi;
          goto ask
       od
    od
}

/* Time passes unless a writer's timer has run out; the timers of those that wait stop at zero. */
active proctype Clock() {
    byte i;
    do
    :: d_step { late == 0 ->
         i = 0;
         do
         :: i < N ->
            if
            :: timer[i] != OFF && timer[i] > 0 ->
               timer[i]--;
               if
               :: timer[i] == 0 && writing[i] -> late++
               :: else
               fi
            :: else
            fi;
            i++
         :: else -> break
         od;
         i = 0
       }
    od
}
