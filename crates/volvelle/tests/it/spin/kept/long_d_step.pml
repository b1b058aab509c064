// states 4 transitions 3 verdict error
// A step that is long enough for code to be made in the middle of it.
int s;
active proctype P() { d_step { do :: s < 100000 -> s++ :: else -> break od }; assert(s != 100000) }
