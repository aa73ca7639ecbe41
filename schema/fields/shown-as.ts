/** The meaning of a part of a schema in the words of JSON Schema. */
export type Shown = Readonly<Record<string, unknown>>;

const meanings = new WeakMap<object, Shown>();

/**
 * Notes what a check means that JSON Schema could not read from its code, for the OpenAPI document. It is noted beside the
 * part and not in the pipe, as v.metadata would be: requests do not walk past it.
 */
export function shownAs<T extends object>(part: T, shown: Shown): T {
  meanings.set(part, shown);
  return part;
}

export function findShown(part: object): Shown | undefined {
  return meanings.get(part);
}

const LARGEST_INT32 = 2_147_483_647;

/** An integer within bounds. Generators of clients take four bytes unless told otherwise. */
export function integerShown(minimum: number, maximum: number): Shown {
  return { type: 'integer', ...(maximum > LARGEST_INT32 ? { format: 'int64' } : {}), minimum, maximum };
}
