/** A row with its mark: the same id under the same mark is the same row. */
export interface Marked {
  readonly id: number;
  readonly mark: string;
}

/** Rows by their ids, each as it was under its mark. */
export type KnownRows<T> = ReadonlyMap<number, T>;

/** The rows of several kinds that an organization's last round planned with. */
export type KnownOrganization<T> = { readonly [Kind in keyof T]: KnownRows<T[Kind]> };

/**
 * Rows of earlier rounds, so that each round reads only changed rows. A row here counts only after Postgres has
 * confirmed its mark: a forgotten or missing row costs a reading.
 */
export class RoundMemory<T> {
  readonly #organizations = new Map<number, KnownOrganization<T>>();
  readonly #most: number;
  #rows = 0;

  /** `most`: rows, of all organizations together. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Rows that are kept, of all organizations. */
  get rows(): number {
    return this.#rows;
  }

  find(organizationId: number): KnownOrganization<T> | undefined {
    return this.#organizations.get(organizationId);
  }

  /** Replaces the known rows; organizations whose last round is longest ago make room. */
  keep(organizationId: number, known: KnownOrganization<T>): void {
    this.forget(organizationId);
    const size = sizeOf(known);
    if (size === 0) return;
    this.#organizations.set(organizationId, known);
    this.#rows += size;
    for (const oldest of this.#organizations.keys()) {
      if (this.#rows <= this.#most) return;
      this.forget(oldest);
    }
  }

  forget(organizationId: number): void {
    const known = this.#organizations.get(organizationId);
    if (!known) return;
    this.#organizations.delete(organizationId);
    this.#rows -= sizeOf(known);
  }
}

/** The present rows: known ones under their marks, the others as `readRows` finds them, if they still exist. */
export async function refreshedRows<T extends Marked>(
  known: KnownRows<T> | undefined,
  marks: readonly Marked[],
  readRows: (ids: readonly number[]) => Promise<readonly T[]>,
): Promise<KnownRows<T>> {
  const rows = new Map<number, T>();
  const changed: number[] = [];
  for (const { id, mark } of marks) {
    const row = known?.get(id);
    if (row?.mark === mark) rows.set(id, row);
    else changed.push(id);
  }
  if (changed.length > 0) for (const row of await readRows(changed)) rows.set(row.id, row);
  return rows;
}

function sizeOf(known: KnownOrganization<unknown>): number {
  return Object.values<KnownRows<unknown>>(known).reduce((sum, { size }) => sum + size, 0);
}
