import { computed, effect, signal } from '@preact/signals';
import type { Answer } from '../live/protocol.ts';
import { callApi } from '../page/link.ts';
import { isForgotten, newKey } from '../page/new-key.ts';
import { failureOf, type ItemError, refusalText } from '../page/refusals.ts';
import { nowMs } from '../page/state.ts';
import { changeLines, judgedLines, type Sent, table } from './import-state.ts';
import { isFateOf, type Part, partsOf, sendParts } from './send-lines.ts';

/** The part that was sent and about which nothing is decided. It is asked about first, under the same key. */
export const undecided = signal<Part | null>(null);
export const isSending = signal(false);
/** The part is too old for that. A person looks for its tasks, and says whether they exist. */
export const isTooOld = computed(() => {
  // Its ticks alone count here: after the machine has slept, the clock that is shown may be late.
  void nowMs.value;
  return isOld(undecided.value);
});

/** Whether the engine may have forgotten the key of a part that it has made. Sent again, the tasks would be made twice. */
function isOld(part: Part | null): boolean {
  const sentAtMs = part?.firstSentAtMs ?? null;
  return sentAtMs !== null && isForgotten(sentAtMs, Date.now());
}

effect(() => {
  if (table.value === null) undecided.value = null;
});

// A page that is left now could not ask again.
addEventListener('beforeunload', (event) => {
  if (isSending.peek() || undecided.peek()) event.preventDefault();
});

interface BatchItem {
  readonly index: number;
  readonly task?: { readonly id: number; readonly code: string };
  readonly error?: ItemError;
}

/** Asks again about lines without a decision, then sends every line that is ready or was refused. */
export async function sendTable(): Promise<void> {
  const key = table.peek()?.key;
  if (key === undefined || isSending.peek() || isOld(undecided.peek())) return;
  const wanted = judgedLines.peek().filter(({ state }) => state === 'ready' || state === 'refused');
  const parts = [...(undecided.peek() ? [undecided.peek()!] : []), ...partsOf(wanted, newKey)];
  isSending.value = true;
  mark(new Set(parts.flatMap(({ lines }) => lines)), { kind: 'sending' });
  const open = await sendParts(
    parts,
    ({ orders: tasks, key }) => callApi({ method: 'POST', path: '/tasks/batch', body: { tasks }, key }),
    (part, answer) => {
      if (table.peek()?.key === key) take(part, answer);
    },
    () => Date.now(),
  );
  isSending.value = false;
  if (table.peek()?.key !== key) return;
  undecided.value = open;
  // Lines that the round did not reach were not sent.
  changeLines((line) => (line.sent.kind === 'sending' ? { ...line, sent: { kind: 'no' } } : line));
}

/** A person has seen whether the tasks of the part exist. If not, its lines may be changed and are sent under another key. */
export function decideUndecided(exist: boolean): void {
  mark(new Set(undecided.peek()?.lines), { kind: exist ? 'existing' : 'no' });
  undecided.value = null;
}

function mark(lines: ReadonlySet<number>, sent: Sent): void {
  changeLines((each) => (lines.has(each.line) ? { ...each, sent } : each));
}

function take(part: Part, answer: Answer): void {
  const { lines } = part;
  if (!answer.ok) {
    const kind = isFateOf(part, answer) ? 'refused' : 'undecided';
    return mark(new Set(lines), { kind, words: refusalText(answer.failure) });
  }
  const { items } = answer.data as { readonly items: readonly BatchItem[] };
  const results = new Map(items.map((item) => [lines[item.index]!, sentOf(item)]));
  changeLines((each) => ({ ...each, sent: results.get(each.line) ?? each.sent }));
}

function sentOf({ task, error }: BatchItem): Sent {
  if (task) return { kind: 'created', taskId: task.id, code: task.code };
  return { kind: 'refused', words: refusalText(failureOf(error!)) };
}
