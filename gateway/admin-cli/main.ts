import { readSecret } from './read-secret.ts';
import { runAdmin } from './run-admin.ts';

/** `npm run admin -- <noun> <verb>`: administering the system from where its stores can be reached. */
const { exitCode, stdout, stderr } = await runAdmin(process.argv.slice(2), process.env, readSecret);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
