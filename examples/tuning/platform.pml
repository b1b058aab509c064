/*
 * How long a tiled kernel takes on an abstract device, by work-group size WG and tile size TS.
 *
 * The device has UNITS compute units with ELEMENTS processing elements each. The SIZE work items come in groups of WG; a unit
 * takes one group after the other, and an element takes several items of a group in turn where there are more items than elements.
 * Units do not wait for each other: the one with the most groups determines the time, and the model is about this one. A work item goes through SIZE elements of data, tile by tile: it loads a tile from global memory (GLOBAL for each element), meets the other
 * items at a barrier, works on the tile in local memory (1 for each element), and meets them again. In the end it stores its result (GLOBAL).
 * The tiles of the items that run at the same time have to fit into the local memory of a unit.
 *
 * Time is discrete: a tick passes when every element that is at work waits for it.
 *
 *   volvelle tune platform.pml --minimize time --goal finished --parameters WG,TS
 *   volvelle tune platform.pml --minimize time --goal finished --parameters WG,TS -D LOG_SIZE=4
 */

#ifndef LOG_SIZE
#define LOG_SIZE 3
#endif
#define SIZE     (1 << LOG_SIZE)
#define UNITS    2
#define ELEMENTS 4
#define LOCAL    16
#define GLOBAL   4
#define BARRIER  1

int WG, TS;        /* the parameters */
int running;       /* elements that work on a group */
int time;          /* ticks that have passed */
int ready;         /* elements that wait for the next tick */
bool finished;

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

/* Waits for the other elements. */
inline meet() {
  arrive!1;
  open?1;
  work(BARRIER)
}

proctype Element(chan start; chan done; chan arrive; chan open) {
  int until, seen, item, tile;
end:
  do
  :: start?1 ->
    for (item : 1 .. WG / running) {
      for (tile : 1 .. SIZE / TS) {
        work(GLOBAL * TS);
        meet();
        work(TS);
        meet()
      }
      work(GLOBAL)
    }
    done!1
  :: start?0 -> break
  od
}

/* Lets all elements go on when the last of them has arrived. */
proctype Barrier(chan arrive; chan open) {
  int element;
end:
  do
  :: arrive?1 ->
    for (element : 2 .. running) { arrive?1 }
    atomic { for (element : 1 .. running) { open!1 } }
  od
}

proctype Clock() {
  do
  :: finished -> break
  :: ready == running && running > 0 -> atomic { ready = 0; time++ }
  od
}

active proctype Main() {
  chan start = [0] of { bit };
  chan done = [0] of { bit };
  chan arrive = [0] of { bit };
  chan open = [0] of { bit };
  byte k;
  int groups, group, element;

  select (k : 1 .. LOG_SIZE);
  WG = 1 << k;
  running = (WG < ELEMENTS -> WG : ELEMENTS);
  select (k : 0 .. LOG_SIZE - 1);
  TS = 1 << k;
  TS = (running * TS > LOCAL -> LOCAL / running : TS);
  groups = (SIZE / WG + UNITS - 1) / UNITS;

  atomic {
    for (element : 1 .. running) { run Element(start, done, arrive, open) }
    run Barrier(arrive, open);
    run Clock()
  }
  for (group : 1 .. groups) {
    atomic { for (element : 1 .. running) { start!1 } }
    atomic { for (element : 1 .. running) { done?1 } }
  }
  finished = true;
  atomic { for (element : 1 .. running) { start!0 } }
}

ltl positive { [] (finished -> time > 0) }
