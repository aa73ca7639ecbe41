/** The durability of a record in memory; both are 0 for a record that was read from Postgres. */
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
