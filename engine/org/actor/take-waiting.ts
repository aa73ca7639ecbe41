import { LIMITS } from '../../../schema/limits.ts';
import type { PendingCommand } from '../apply/org-batch.ts';

/**
 * Which of the waiting commands go with the next fetch: in the order of arrival, but with one batch of tasks. A command
 * behind several batches waits for one fetch with one of them.
 */
export function takeWaiting(waiting: readonly PendingCommand[]): {
  readonly taken: PendingCommand[];
  readonly left: PendingCommand[];
} {
  const taken: PendingCommand[] = [];
  const left: PendingCommand[] = [];
  let hasBatch = false;
  for (const pending of waiting) {
    const isLeft = taken.length === LIMITS.commandsPerFetch || (hasBatch && isBatch(pending));
    (isLeft ? left : taken).push(pending);
    hasBatch ||= isBatch(pending);
  }
  return { taken, left };
}

export function isBatch({ command }: PendingCommand): boolean {
  return command.kind === 'create-tasks' || command.kind === 'act-on-tasks';
}
