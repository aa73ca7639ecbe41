import { fileURLToPath } from 'node:url';
import { runTests } from './support/runner/run-tests.ts';

/** `npm run test:only -- [--slow] [part of a path …]`: see CONTRIBUTING.md. */

const root = fileURLToPath(new URL('..', import.meta.url));

// The run is over, even if an open handle would keep the process alive.
process.exit(await runTests(root, process.argv.slice(2)));
