import type { Command } from '../../../schema/commands.ts';
import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { Decided, Pending } from '../apply/org-batch.ts';

/**
 * Errors for commands that were not executed. NOT_APPLIED says that nothing was written, so its reader may ask again
 * under another key. It is used only where no earlier attempt under the same key can have written anything; otherwise
 * the outcome is unknown until a retry has looked.
 */

/** Of commands whose keys were not looked up. */
export function failUndecided(waiting: readonly Pending[], why: Refusal): void {
  for (const { command, settle } of waiting) fail(settle, why, isKeyed(command));
}

/** The errors of commands that wait for a commit: a command that changes something has no key, or one that was new. */
export function failDecided(entries: readonly Decided[], why: Refusal): void {
  for (const { command, changes, settle } of entries)
    fail(settle, why, changes ? hasKeyedItems(command) : isKeyed(command));
}

function fail(settle: Pending['settle'], why: Refusal, mayBeDone: boolean): void {
  settle({ ok: false, refusal: mayBeDone && why.code === 'NOT_APPLIED' ? refusal('OUTCOME_UNKNOWN') : why });
}

function isKeyed(command: Command): boolean {
  return command.idempotency !== undefined || hasKeyedItems(command);
}

/** Of a batch some items may have been known and some new. */
function hasKeyedItems(command: Command): boolean {
  return command.kind === 'create-tasks' && command.items.some((item) => 'input' in item && item.idempotency);
}
