import { DOCUMENT, STREAM_DOCUMENT } from './described-api.ts';
import { keepReleased } from './released-document.ts';

/** `npm run release:contract` keeps the documents of this tree as those of the last release. Run it at a release. */
keepReleased(DOCUMENT, STREAM_DOCUMENT);
