type Json = Readonly<Record<string, unknown>>;

/**
 * A copy of a document in which objects have no field but those that are described. Free objects stay free. An object
 * that is made of several by `allOf` is closed as a whole.
 */
export function closed(document: Json): Json {
  const parts = new Set(
    [...JSON.stringify(document).matchAll(/"allOf":\[\{"\$ref":"([^"]+)"/g)].map(([, name]) => name!),
  );
  return closedPart(document, '#', parts) as Json;
}

function closedPart(part: unknown, place: string, parts: ReadonlySet<string>, isPart = parts.has(place)): unknown {
  if (Array.isArray(part)) return part.map((inner) => closedPart(inner, `${place}/…`, parts, place.endsWith('/allOf')));
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(
    Object.entries(part).map(([name, inner]) => [name, closedPart(inner, `${place}/${name}`, parts)]),
  );
  if ('allOf' in copy) return { ...copy, unevaluatedProperties: false };
  const isOpenObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isOpenObject && !isPart ? { ...copy, additionalProperties: false } : copy;
}
