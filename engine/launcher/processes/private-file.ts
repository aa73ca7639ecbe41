import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only we can read, whole or not at all. */
export function writePrivateFile(path: string, text: string): void {
  const unfinished = `${path}.unfinished`;
  writeFileSync(unfinished, text, { mode: 0o600, flush: true });
  renameSync(unfinished, path);
}
