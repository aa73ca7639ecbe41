type Json = Readonly<Record<string, unknown>>;

/** A copy of a document in which objects have no field but those that are described. Free objects stay free. */
export function closed(document: Json): Json {
  return closedPart(document) as Json;
}

function closedPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closedPart);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, closedPart(inner)]));
  const isOpenObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isOpenObject ? { ...copy, additionalProperties: false } : copy;
}
