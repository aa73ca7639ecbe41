/** A power of two; each place takes four bytes. Many times the tasks that consoles of one process look at in a minute. */
const PLACES = 2 ** 18;

/**
 * Which tasks pages showed lately, in memory of a fixed size: each task has one place, and the last one at a place is
 * known. Now and then it takes a task for another one that was shown.
 */
export class ShownBefore {
  /** Outside the heap: the garbage collector never copies it. */
  readonly #marks = new Uint32Array(PLACES);

  /** Notes that a page shows a task. Returns whether one did before. */
  note(organizationId: number, id: number): boolean {
    const mark = markOf(organizationId, id);
    const place = mark % PLACES;
    const isKnown = this.#marks[place] === mark;
    this.#marks[place] = mark;
    return isKnown;
  }
}

/** Spreads ids that follow one another over all numbers of 32 bits but 0, which is the mark of nobody. */
function markOf(organizationId: number, id: number): number {
  const mixed = Math.imul(id ^ Math.imul(organizationId, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0 || 1;
}
