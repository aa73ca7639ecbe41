/** The parameters of a statement that is put together from pieces. `$1` is always the organization. */
export class Parameters {
  readonly values: (string | number | boolean | null)[];

  constructor(organizationId: number) {
    this.values = [organizationId];
  }

  /** Adds a value and returns its placeholder in the text. */
  add(value: string | number | boolean | null, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
