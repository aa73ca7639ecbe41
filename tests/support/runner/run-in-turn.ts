import { after, describe } from 'node:test';

/**
 * Runs one test file of several in a process: its tests and hooks belong to a suite with its path as the name.
 * Resolves when its tests have ended, so that the next file starts nothing beside them.
 */
export async function runInTurn(path: string, load: () => Promise<unknown>): Promise<void> {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  describe(path, async () => {
    // The first of the hooks: one that fails ends the hooks, and must not end the run.
    after(() => end());
    await load();
  });
  await ended;
}
