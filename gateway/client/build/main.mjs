import { readDocument, writeDocumentTypes } from './document-types.mjs';
import { writePackage } from './write-package.mjs';

/** `main.mjs <file>`: packs the client of the document on standard input into a file that npm installs. */
await writePackage(process.argv[2], await writeDocumentTypes(await readDocument()));
