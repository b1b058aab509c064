/* Lamport's bakery with bounded tickets: a process that would draw a larger one than MAX starts over. */
#ifndef N
#define N 3
#endif
#ifndef MAX
#define MAX 20
#endif

bit choosing[N];
byte ticket[N];
byte inside;

active [N] proctype P() {
    byte j, max;
    do
    :: choosing[_pid] = 1;
       max = 0;
       j = 0;
       do
       :: j < N && ticket[j] > max -> max = ticket[j]; j++
       :: j < N && ticket[j] <= max -> j++
       :: j == N -> break
       od;
       if
       :: max < MAX -> ticket[_pid] = max + 1; choosing[_pid] = 0
       :: else -> choosing[_pid] = 0; j = 0; max = 0; goto again
       fi;
       j = 0;
       do
       :: j < N ->
          choosing[j] == 0;
          ticket[j] == 0 || ticket[j] > ticket[_pid] || (ticket[j] == ticket[_pid] && j >= _pid);
          j++
       :: else -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
       ticket[_pid] = 0;
       j = 0;
       max = 0;
again:
       skip
    od
}
