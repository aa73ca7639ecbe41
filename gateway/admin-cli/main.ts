import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './admin-errors.ts';
import { runAdmin } from './run-admin.ts';

/** `npm run admin -- <noun> <verb>`: administering the system from where its stores can be reached. */
const { exitCode, stdout, stderr } = await runAdmin(process.argv.slice(2), process.env, readSecret);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;

/** The first line of standard input; on a terminal it is asked for, and what is typed is not shown. Throws UsageError. */
async function readSecret(): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const isTerminal = stdin.isTTY === true;
  const lines = createInterface({ input: stdin, output: nowhere, terminal: isTerminal });
  if (isTerminal) stderr.write('Password: ');
  try {
    for await (const line of lines) return line;
    throw new UsageError('Nothing came on standard input.');
  } finally {
    lines.close();
    if (isTerminal) stderr.write('\n');
  }
}
