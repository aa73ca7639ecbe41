import { readDocument, writeDocumentTypes } from './document-types.mjs';

/** Writes the types of the document on standard input, for the type check of the tree. */
await writeDocumentTypes(await readDocument());
