/*
 * How long it takes to find the least of SIZE numbers, by work-group size WG and number of elements per work item TS.
 *
 * A work item looks at TS numbers in global memory (GLOBAL for each). A unit of ELEMENTS processing elements takes one group of WG
 * items after the other, and an element takes several items of a group in turn where there are more items than elements. Each element
 * keeps the least number that it has seen in local memory. In the end one element compares these (1 for each of the others), and stores
 * the result (GLOBAL).
 *
 * The model also computes the result: the assertion says that it is right, whatever the order of steps.
 *
 *   volvelle tune minimum.pml --minimize time --goal finished --parameters WG,TS
 *   volvelle tune minimum.pml --minimize time --goal finished --parameters WG,TS -D SIZE=16 -D LOG_SIZE=4
 *   volvelle check minimum.pml --safety
 */

#ifndef SIZE
#define SIZE     8
#define LOG_SIZE 3
#endif
#ifndef ELEMENTS
#define ELEMENTS 4
#endif
#define GLOBAL 4

int WG, TS;               /* the parameters */
int running;              /* elements that work on a group */
int time;                 /* ticks that have passed */
int ready;                /* elements that wait for the next tick */
bool finished;

int numbers[SIZE];        /* global memory */
int least_of[ELEMENTS];   /* local memory */
int result;

chan start[ELEMENTS] = [0] of { int };  /* the number of a group, or -1 at the end */
chan done = [0] of { bit };

/* Works for some ticks. */
inline work(ticks) {
  until = time + ticks;
  do
  :: time >= until -> break
  :: else ->
    atomic {
      seen = time;
      ready++;
      time > seen
    }
  od
}

proctype Element(byte me) {
  int until, seen, group, item, i, first;
end:
  do
  :: start[me]?group ->
    if
    :: group < 0 -> break
    :: else
    fi;
    for (item : 0 .. WG / running - 1) {
      first = TS * (group * WG + me + item * running);
      for (i : first .. first + TS - 1) {
        work(GLOBAL);
        if
        :: numbers[i] < least_of[me] -> least_of[me] = numbers[i]
        :: else
        fi
      }
    }
    done!1
  od
}

proctype Clock() {
  do
  :: finished -> break
  :: ready == running && running > 0 -> atomic { ready = 0; time++ }
  od
}

active proctype Main() {
  byte k;
  int i, group;

  for (i : 0 .. SIZE - 1) { numbers[i] = SIZE - i }
  for (i : 0 .. ELEMENTS - 1) { least_of[i] = SIZE + 1 }
  select (k : 1 .. LOG_SIZE - 1);
  WG = 1 << k;
  select (k : 0 .. LOG_SIZE - 1);
  TS = 1 << k;
  TS = (WG * TS > SIZE -> SIZE / WG : TS);
  running = (WG < ELEMENTS -> WG : ELEMENTS);

  atomic {
    for (i : 0 .. running - 1) { run Element(i) }
    run Clock()
  }
  for (group : 0 .. SIZE / (WG * TS) - 1) {
    atomic { for (i : 1 .. running) { start[i - 1]!group } }
    atomic { for (i : 1 .. running) { done?1 } }
  }
  atomic {
    result = least_of[0];
    for (i : 1 .. running - 1) {
      if
      :: least_of[i] < result -> result = least_of[i]
      :: else
      fi;
      time++
    }
    time = time + GLOBAL
  }
  assert(result == 1);
  finished = true;
  atomic { for (i : 1 .. running) { start[i - 1]!(-1) } }
}
