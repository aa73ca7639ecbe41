/** What memory knows of the durability of a record; both are 0 for what was read from Postgres. */
export interface Basis {
  /** Batch that carries the newest change. */
  readonly ticket: number;
  /** Sequence of the log at which the record is what it is. */
  readonly sequence: number;
}

export interface Live<T> extends Basis {
  readonly record: T;
}

export const READ: Basis = { ticket: 0, sequence: 0 };
