import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The types of the OpenAPI document. Generated, so that git ignores it. */
const TYPES = fileURLToPath(new URL('../generated/document.d.ts', import.meta.url));

/** Reads the document that another program prints. */
export function readDocument() {
  return text(process.stdin);
}

/** Writes the types of a document, unless they are there already. Returns their text. */
export async function writeDocumentTypes(document) {
  const head = `// Made from the document ${createHash('sha256').update(document).digest('hex')}\n`;
  const known = existsSync(TYPES) ? readFileSync(TYPES, 'utf8') : '';
  if (known.startsWith(head)) return known;
  // The generator takes a second to load. A field with a default is optional in a request.
  const { default: generate, astToString } = await import('openapi-typescript');
  const types =
    head +
    astToString(
      await generate(JSON.parse(document), { immutable: true, defaultNonNullable: false, emptyObjectsUnknown: true }),
    );
  mkdirSync(fileURLToPath(new URL('../generated/', import.meta.url)), { recursive: true });
  writeFileSync(TYPES, types);
  return types;
}
