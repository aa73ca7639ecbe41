import type { Command } from '../../../schema/commands.ts';
import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { Decided, PendingCommand } from '../apply/org-batch.ts';

/**
 * Errors for commands that were not executed. NOT_APPLIED says that nothing was written, so its reader may ask again
 * under another key. It is used only where no earlier attempt under the same key can have written anything. Where one
 * can, the reader asks again under the same key: UNAVAILABLE when this attempt wrote nothing for certain,
 * OUTCOME_UNKNOWN when the commit of an earlier attempt may be the one whose outcome is unknown.
 */

/** Fails commands whose keys were not looked up. `inDoubt`: the outcome of a commit of their organization is unknown. */
export function failUndecided(waiting: readonly PendingCommand[], why: Refusal, inDoubt: boolean): void {
  for (const { command, settle } of waiting) fail(settle, why, isKeyed(command), inDoubt);
}

/** The errors of commands that wait for a commit: a command that changes something has no key, or one that was new. */
export function failDecided(entries: readonly Decided[], why: Refusal, inDoubt: boolean): void {
  for (const { command, changes, settle } of entries)
    fail(settle, why, changes ? hasKeyedItems(command) : isKeyed(command), inDoubt);
}

function fail(settle: PendingCommand['settle'], why: Refusal, mayBeDone: boolean, inDoubt: boolean): void {
  const sameKey = inDoubt ? refusal('OUTCOME_UNKNOWN') : SAME_KEY;
  settle({ ok: false, refusal: mayBeDone && why.code === 'NOT_APPLIED' ? sameKey : why });
}

const SAME_KEY = refusal(
  'UNAVAILABLE',
  'Nothing was written now; try again with the same Idempotency-Key, as an earlier attempt may have succeeded',
);

function isKeyed(command: Command): boolean {
  return command.idempotency !== undefined || hasKeyedItems(command);
}

/** Some items of a batch may have been known and some new. */
function hasKeyedItems(command: Command): boolean {
  return command.kind === 'create-tasks' && command.items.some((item) => 'input' in item && item.idempotency);
}
