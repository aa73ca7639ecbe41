import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { LIMITS } from '../../../schema/limits.ts';

/** Calls `onLine` for each line of `stream`, without its end; lines past LIMITS.logLineChars come in pieces. */
export function splitLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let open = '';

  function take(text: string): void {
    const lines = (open + text).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) onLine(cut(line).replace(/\r$/, ''));
    open = cut(open);
  }

  /** Passes on what is too long, and returns the rest. */
  function cut(line: string): string {
    let rest = line;
    while (rest.length > LIMITS.logLineChars) {
      onLine(rest.slice(0, LIMITS.logLineChars));
      rest = rest.slice(LIMITS.logLineChars);
    }
    return rest;
  }

  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
  stream.once('end', () => {
    take(decoder.end());
    if (open) onLine(open);
  });
}
