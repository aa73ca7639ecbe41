import type { Refusal } from '../schema/errors.ts';

/** Ends a request wherever it is met: it is answered as any other refusal, and nothing has been done. */
export class RefusalError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
