type Json = Readonly<Record<string, unknown>>;

/** The document with every reference replaced by what it leads to. Its models are no rings. */
export function dereferenced(document: Json): Json {
  const known = new Map<string, unknown>();
  const target = (reference: string): unknown => {
    if (!known.has(reference)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((part, name) => (part as Json)[name], document);
      if (found === undefined) throw new Error(`${reference} leads nowhere`);
      known.set(reference, resolved(found));
    }
    return known.get(reference);
  };
  const resolved = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolved);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, ...rest } = part as Json;
    const fields = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, resolved(inner)]));
    return typeof $ref === 'string' ? { ...(target($ref) as Json), ...fields } : fields;
  };
  return resolved(document) as Json;
}

/** The response of an operation to a status: its own, or that of the refusals that any call may get. */
export function responseOf<T>(responses: Readonly<Record<string, T>>, status: number | string): T | undefined {
  return responses[String(status)] ?? (Number(status) >= 400 ? responses['default'] : undefined);
}
