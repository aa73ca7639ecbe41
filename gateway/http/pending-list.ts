/** A request as the scan of deadlines sees it. */
export interface Pending {
  /** Reading of the scan's clock when the request was admitted. */
  readonly admittedAt: number;
  onDeadline(): void;
  /** Its neighbours in the list; only the list writes them. */
  before: Pending | undefined;
  after: Pending | undefined;
}

/**
 * Requests in the order of admission, each linked to its neighbours. Not a Set: with every few changes a Set moves to a
 * new table and the old one, which still holds its requests, points to the new one. Once a table has grown old, all
 * that follow are kept until the next full collection, and every young collection copies their requests.
 */
export class PendingList {
  size = 0;
  #first: Pending | undefined;
  #last: Pending | undefined;

  add(request: Pending): void {
    request.before = this.#last;
    if (this.#last) this.#last.after = request;
    else this.#first = request;
    this.#last = request;
    this.size += 1;
  }

  /** The request must be in the list. A request that has left it points nowhere. */
  remove(request: Pending): void {
    const { before, after } = request;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    request.before = undefined;
    request.after = undefined;
    this.size -= 1;
  }

  /** Those admitted before `time`, oldest first; each may leave the list meanwhile. */
  *admittedBefore(time: number): Generator<Pending> {
    let request = this.#first;
    while (request && request.admittedAt <= time) {
      const { after } = request;
      yield request;
      request = after;
    }
  }
}
