import { DOCUMENT } from './described-api.ts';
import { keepReleased } from './released-document.ts';

/** `npm run release:contract` keeps the OpenAPI document of this tree as that of the last release. Run it at a release. */
keepReleased(DOCUMENT);
