const names = new WeakMap<object, string>();

/**
 * Gives a schema, or a list of values to pick from, the name of its model: the OpenAPI document describes it once under this name, and generated clients
 * make one type of it. The name stands beside the schema, so that requests do not walk past it.
 */
export function named<T extends object>(name: string, schema: T): T {
  names.set(schema, name);
  return schema;
}

interface Named {
  readonly pipe?: readonly object[];
  readonly options?: unknown;
}

/** The name of a schema, of the one that its pipe begins with, or of the values that it picks from. */
export function findName(schema: object & Named): string | undefined {
  const { pipe, options } = schema;
  return names.get(schema) ?? names.get(pipe?.[0] ?? schema) ?? names.get(options instanceof Object ? options : schema);
}

const bases = new WeakMap<object, object>();

/** Notes that an object begins with the fields of another, named one: the document then describes these once. */
export function extending<T extends object>(schema: T, base: object): T {
  bases.set(schema, base);
  return schema;
}

export function findBase(schema: object): object | undefined {
  return bases.get(schema);
}
