import type { Refusal } from '../schema/errors.ts';

/** Ends a request with a coded refusal from any depth of the code. Nothing has been changed when it is thrown. */
export class RefusalError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
