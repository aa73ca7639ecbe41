import { RECONNECT_AFTER } from '../load/load-messages.ts';
import type { Contestant } from '../stand/contestants.ts';
import type { DatabaseProbe } from './database-probe.ts';
import type { RunResult } from './measure-run.ts';

/**
 * Proves that each contestant did the work it was measured for: every acknowledged create is there with its location,
 * package, history and event; and the ceiling wrote nothing. Resolves to what is
 * wrong.
 */
export async function checkRows(
  contestants: readonly Contestant[],
  results: readonly RunResult[],
  probe: DatabaseProbe,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, database } of contestants) {
    const runs = results.filter(({ contestant }) => contestant === name);
    const acknowledged = sum(runs.map(({ statuses }) => statuses['201'] ?? 0));
    // Under way when a generator left, or answered as it reconnected.
    const untold = sum(runs.map(({ connections }) => connections)) + Math.ceil(acknowledged / RECONNECT_AFTER);
    const { customers, ...perTask } = await probe.countRows(database);
    const [least, most] = name === 'ceiling' ? [0, 0] : [acknowledged, acknowledged + untold];
    for (const [table, rows] of Object.entries(perTask)) {
      if (rows >= least && rows <= most) continue;
      problems.push(`${name}: ${rows} ${table} for ${acknowledged} acknowledged creates, ${least} to ${most} were due`);
    }
    if (name !== 'ceiling' && customers === 0) problems.push(`${name}: no customers at all`);
  }
  return problems;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
