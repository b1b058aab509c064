/* Telephones that call each other: off hook, dialling, ringing, talking, busy; with forwarding. */
#ifndef N
#define N 6
#endif
#define FORWARDING 4
#define NONE 255

mtype = { idle, dial, calling, ringing, talking, busy };
mtype state[N] = idle;
byte partner[N] = NONE;
byte forward[N] = NONE;
byte chosen[N] = NONE;

active [N] proctype Phone() {
    byte to;
    do
    :: atomic { state[_pid] == idle -> state[_pid] = dial }
    :: atomic { _pid < FORWARDING && state[_pid] == idle && forward[_pid] == NONE -> forward[_pid] = (_pid + 1) % N }
    :: atomic { state[_pid] == idle && forward[_pid] != NONE -> forward[_pid] = NONE }
    :: atomic { state[_pid] == dial ->
         if
         :: chosen[_pid] = (_pid + 1) % N
         :: chosen[_pid] = (_pid + 2) % N
         fi;
         state[_pid] = calling }
    :: atomic { state[_pid] == calling && state[chosen[_pid]] == idle && forward[chosen[_pid]] == NONE ->
         to = chosen[_pid];
         partner[to] = _pid;
         state[to] = ringing;
         partner[_pid] = to;
         to = 0;
         chosen[_pid] = NONE;
         state[_pid] = ringing }
    :: atomic { state[_pid] == calling && forward[chosen[_pid]] != NONE && forward[chosen[_pid]] != _pid ->
         chosen[_pid] = forward[chosen[_pid]] }
    :: atomic { state[_pid] == calling && state[chosen[_pid]] != idle -> chosen[_pid] = NONE; state[_pid] = busy }
    :: atomic { state[_pid] == busy || state[_pid] == dial -> state[_pid] = idle }
    :: atomic { state[_pid] == ringing && partner[_pid] != NONE && state[partner[_pid]] == ringing ->
         state[_pid] = talking; state[partner[_pid]] = talking }
    :: atomic { (state[_pid] == talking || state[_pid] == ringing) && partner[_pid] != NONE ->
         to = partner[_pid];
         partner[_pid] = NONE;
         state[_pid] = idle;
         partner[to] = NONE;
         state[to] = busy;
         to = 0 }
    od
}
