// states 23 transitions 31 verdict ok
// A structure inside of another one as a message, and its members one by one.
typedef Pair { byte a = 1; short b[2]; bool c }; typedef Nest { Pair p[2]; byte d };
chan q = [2] of { Pair }; Pair s; Nest n[2];
active proctype P() { s.b[1] = -3; q!s; q!7,8,9,1; n[1].p[0].a = 4; q!n[1].p[0] }
active proctype Q() { Pair t; byte x;
  q?t; assert(t.b[1] == -3 && t.a == 1); q?n[0].p[1]; assert(n[0].p[1].b[0] == 8); q?x,_,_,_; assert(x == 4) }
