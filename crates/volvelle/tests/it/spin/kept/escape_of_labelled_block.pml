// states 11 transitions 17 verdict ok
// An escape of an escape, both of `atomic`, at a block with a label.
byte x;
active proctype P0() {
  L0_0:
  {
    x == 1;
  } unless {
      atomic {
        x < 3 ->
    } unless {
      atomic {
        goto L0_0;
      };
    };
  };
}
active proctype P1() { x = 1; x = 2; x = 3 }
