import { RECONNECT_AFTER } from '../load/load-messages.ts';
import type { Contestant } from '../stand/contestants.ts';
import type { DatabaseProbe } from './database-probe.ts';
import type { RunResult } from './measure-run.ts';

/**
 * Proves that each contestant did the work it was measured for: every acknowledged task is there with its location,
 * package, history and event, each keyed one with its key; and the bare server wrote nothing. Resolves to the faults.
 */
export async function checkRows(
  contestants: readonly Contestant[],
  results: readonly RunResult[],
  probe: DatabaseProbe,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, database } of contestants) {
    const runs = results.filter(({ contestant }) => contestant === name);
    const acknowledged = sum(runs.map(({ acknowledgedTasks }) => acknowledgedTasks));
    const untold = sum(runs.map(untoldTasks));
    const { customers, ...perTask } = await probe.countRows(database);
    const [least, most] = name === 'bare' ? [0, 0] : [acknowledged, acknowledged + untold];
    for (const [table, rows] of Object.entries(perTask)) {
      if (rows >= least && rows <= most) continue;
      problems.push(`${name}: ${rows} ${table} for ${acknowledged} acknowledged tasks, ${least} to ${most} were due`);
    }
    if (name !== 'bare' && customers === 0) problems.push(`${name}: no customers at all`);
    if (name === 'keyed') {
      const keys = await probe.countKeys(database);
      if (keys !== perTask.tasks) problems.push(`${name}: ${keys} keys for ${perTask.tasks} tasks`);
    }
  }
  return problems;
}

/** Requests in flight when the generator left, or answered as it reconnected. */
function untoldTasks({ connections, acknowledgedTasks, tasksPerRequest }: RunResult): number {
  const reconnects = Math.ceil(acknowledgedTasks / tasksPerRequest / RECONNECT_AFTER);
  return (connections + reconnects) * tasksPerRequest;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
