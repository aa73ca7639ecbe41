import type { Answer, BatchItem, CreateTasks, RequestFacts } from '../../../schema/commands.ts';
import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { IdempotencyKey } from '../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  applyDraft,
  type DecidedCommand,
  type DecideTools,
  findKept,
  keepOutcome,
  keepRefusal,
  openBatchAt,
} from '../apply/apply-decision.ts';
import { encodeShown } from '../apply/encode-shown.ts';
import type { DecideContext, Shown } from '../decide/decision.ts';
import { decideCreateTask } from '../decide/tasks/create-task.ts';
import { Draft } from '../state/draft.ts';
import type { OrgState } from '../state/org-state.ts';
import { isTooLong } from './batch-text.ts';
import { answerJointly, failedItem, type ItemResult, inOneCommit, type JointTools } from './joint-answer.ts';

type WantedTask = Extract<BatchItem, { input: unknown }>;

/** An item that can be done, if all the others can. */
interface DraftedItem {
  readonly shown: Shown;
  readonly idempotency: IdempotencyKey | undefined;
}

/**
 * POST /tasks/batch. Decides items in their order; each sees those before it. A plain batch does what it can. An atomic
 * one is refused 422 BATCH_REJECTED, with the faults in `details.items`, unless every item can be done. The whole batch
 * goes into one commit; it is refused 400 when it would repeat more text than one bears.
 */
export function decideBatch(
  tools: DecideTools,
  command: CreateTasks,
  context: DecideContext,
  nowMs: number,
): DecidedCommand {
  if (isTooLong(tools.state, command, nowMs)) return { answer: () => TOO_LONG, changes: false, restsOn: undefined };
  const joint = inOneCommit(tools);
  const answer = command.atomic
    ? decideTogether(joint, command, context, nowMs)
    : decideEach(joint, command, context, nowMs);
  // Its position is the newest, so it waits for the newest, even when all items were known before.
  return { answer: () => answer, changes: joint.opened(), restsOn: undefined };
}

function decideEach(tools: JointTools, command: CreateTasks, context: DecideContext, nowMs: number): Answer {
  const { state } = tools;
  const results: ItemResult[] = [];
  for (const item of command.items) {
    const known = knownResult(state, item, nowMs, command.facts);
    if (known) {
      results.push(known);
      continue;
    }
    const wanted = item as WantedTask;
    const draft = new Draft(state);
    const decision = decideCreateTask(draft, { kind: 'create-task', caller: command.caller, ...wanted }, context);
    if (decision.ok) {
      const batch = openBatchAt(tools, context.now);
      const { data: json, toldAt } = applyDraft(tools, batch, draft, command, decision.shown);
      keepOutcome(tools, batch, wanted.idempotency, { status: decision.status, body: json, toldAt });
      results.push({ ok: true, json });
    } else {
      keepRefusal(tools, wanted.idempotency, decision.refusal, context.now);
      results.push(failedItem(decision.refusal, command.facts));
    }
  }
  return answerBatch(tools, command, results, context.now);
}

function decideTogether(tools: JointTools, command: CreateTasks, context: DecideContext, nowMs: number): Answer {
  const { state } = tools;
  const whole = new Draft(state);
  const made: (ItemResult | DraftedItem)[] = [];
  const keyed = new Map<string, DraftedItem>();
  for (const item of command.items) {
    const known = knownResult(state, item, nowMs, command.facts) ?? twinOf(item as WantedTask, keyed, command.facts);
    if (known) {
      made.push(known);
      continue;
    }
    const wanted = item as WantedTask;
    const draft = new Draft(whole);
    const decision = decideCreateTask(draft, { kind: 'create-task', caller: command.caller, ...wanted }, context);
    if (!decision.ok) {
      made.push(failedItem(decision.refusal, command.facts));
      continue;
    }
    whole.absorb(draft);
    const drafted = { shown: decision.shown, idempotency: wanted.idempotency };
    made.push(drafted);
    if (wanted.idempotency) keyed.set(wanted.idempotency.scopedKey, drafted);
  }
  const items = made.flatMap((result, index) =>
    'ok' in result && !result.ok ? [{ index, status: 'failed', error: JSON.parse(result.json) as unknown }] : [],
  );
  if (items.length > 0) {
    return { ok: false, refusal: refusal('BATCH_REJECTED', undefined, { items }) };
  }
  if (whole.changes.length > 0) {
    const batch = openBatchAt(tools, context.now);
    applyDraft(tools, batch, whole, command, { kind: 'nothing' });
    for (const { idempotency, shown } of keyed.values()) {
      keepOutcome(tools, batch, idempotency, { status: 201, body: encodeShown(state, shown)!, toldAt: null });
    }
  }
  const results = made.map((one) => ('ok' in one ? one : { ok: true, json: encodeShown(state, one.shown)! }));
  return answerBatch(tools, command, results, context.now);
}

/** The known result of an item: it was malformed, or its key has been used. */
function knownResult(state: OrgState, item: BatchItem, nowMs: number, facts: RequestFacts): ItemResult | undefined {
  if ('errorBody' in item) return { ok: false, json: item.errorBody };
  const kept = item.idempotency && findKept(state, item.idempotency, nowMs);
  if (!kept) return undefined;
  const { fingerprint, status, body } = kept.record;
  if (fingerprint !== item.idempotency!.fingerprint) return failedItem(refusal('IDEMPOTENCY_KEY_REUSED'), facts);
  return status < 300 ? { ok: true, json: body } : failedItem(JSON.parse(body) as Refusal, facts);
}

/** The earlier item of the same batch that has the same key: it stands for this one too. */
function twinOf({ idempotency }: WantedTask, keyed: ReadonlyMap<string, DraftedItem>, facts: RequestFacts) {
  const twin = idempotency && keyed.get(idempotency.scopedKey);
  if (!twin || twin.idempotency!.fingerprint === idempotency.fingerprint) return twin;
  return failedItem(refusal('IDEMPOTENCY_KEY_REUSED'), facts);
}

function answerBatch(tools: JointTools, command: CreateTasks, results: readonly ItemResult[], now: string): Answer {
  let items = '';
  let created = 0;
  for (const [index, { ok, json }] of results.entries()) {
    const what = ok ? `"created","task":${json}` : `"failed","error":${json}`;
    items += `${index === 0 ? '' : ','}{"index":${index},"status":${what}}`;
    if (ok) created += 1;
  }
  const data = `{"items":[${items}],"created":${created},"failed":${results.length - created}}`;
  return answerJointly(tools, command, data, now);
}

const TOO_LONG: Answer = {
  ok: false,
  refusal: refusal('VALIDATION_FAILED', undefined, {
    violations: [
      `tasks must name packages and parents with at most ${LIMITS.batchTextChars} characters of text, ` +
        'the tasks that packages leave included',
    ],
  }),
};
