import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './admin-errors.ts';

/** The first line of standard input; on a terminal it is asked for, and what is typed is not shown. Throws UsageError. */
export async function readSecret(): Promise<string> {
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
