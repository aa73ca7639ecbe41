import type { Engine } from '../../engine/org/start-engine.ts';
import { type Clock, systemScheduler } from '../../engine/runtime/clock.ts';
import { Turns } from '../../engine/runtime/turns.ts';
import { validationBody } from '../../engine/views/parts/error-body.ts';
import type { BatchItem, RequestFacts } from '../../schema/commands.ts';
import { refusal } from '../../schema/errors.ts';
import { idempotencyKey, isIdempotencyKey } from '../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../schema/limits.ts';
import {
  batchView,
  type CreateTasksInput,
  createTasksInput,
  createTasksQuery,
  describedBatch,
} from '../../schema/tasks/batch.ts';
import type { CreateTaskInput } from '../../schema/tasks/create-task.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { fingerprintOf } from '../request/fingerprint.ts';
import { parseBodyOf } from '../request/parse-request.ts';
import { type ApiRoute, apiRoute, type Identity, may } from '../route.ts';
import { createTaskBody } from './task-routes.ts';

/** Creates many tasks in one call. Source: docs/contract.md §3 "Batch". */
export function batchRoute(engine: Engine, clock: Clock): ApiRoute {
  const task = createTaskBody(clock);
  // One batch fills a turn of the loop, and several arrive together. Small requests get their turn between them.
  const turns = new Turns(clock, systemScheduler, 0);

  /** One task with its own key, or the body of the 400 that a single call would return. */
  function readItem(raw: unknown, identity: Identity, facts: RequestFacts): BatchItem {
    const parsed = parseBodyOf(task, identity, raw);
    const violations = 'violations' in parsed ? [...parsed.violations] : [];
    const key = (raw as { idempotencyKey?: unknown } | null)?.idempotencyKey;
    const isKey = typeof key === 'string' && isIdempotencyKey(key);
    if (key != null && !isKey) violations.push(`idempotencyKey must be ${KEY_RULE}`);
    if (violations.length > 0) return { errorBody: validationBody(facts, violations) };
    const input = (parsed as { value: CreateTaskInput }).value;
    if (!isKey) return { input };
    const { type, id } = identity.caller;
    return { input, idempotency: idempotencyKey(`${type}:${id} batch item`, key, fingerprintOf(raw)) };
  }

  return apiRoute({
    method: 'POST',
    path: '/tasks/batch',
    guard: may('tasks:create'),
    query: { schema: createTasksQuery, lists: new Set() },
    body: {
      schema: createTasksInput,
      described: describedBatch(task.schema),
      maxBytes: LIMITS.batchBodyBytes,
    },
    extraCost: (input) => (input as CreateTasksInput).tasks.length / LIMITS.batchItemsPerRequest,
    summary: 'Create up to 500 tasks; with `atomic=true` all or none',
    success: { status: 200, data: batchView },
    refusals: ['422 BATCH_REJECTED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity, body, query, facts, idempotency }) {
      const { organizationId, caller } = identity;
      const { tasks } = body;
      if (countTasks(tasks) > LIMITS.batchTasks) return { refusal: TOO_MANY };
      await turns.next();
      const items = tasks.map((raw) => readItem(raw, identity, facts));
      const atomic = query.atomic === true;
      const answer = await engine.ask(organizationId, {
        kind: 'create-tasks',
        caller,
        items,
        atomic,
        idempotency,
        facts,
      });
      return engineAnswer(engine, answer, 'Batch of tasks');
    },
  });
}

const TOO_MANY = refusal('VALIDATION_FAILED', undefined, {
  violations: [`tasks must hold at most ${LIMITS.batchTasks} tasks, their children included`],
});

function countTasks(items: readonly unknown[]): number {
  const childrenOf = (raw: unknown) => (raw as { children?: unknown } | null)?.children;
  return items.reduce<number>((count, raw) => {
    const children = childrenOf(raw);
    return count + 1 + (Array.isArray(children) ? children.length : 0);
  }, 0);
}

const KEY_RULE = `1 to ${LIMITS.idempotencyKeyChars} printable ASCII characters`;
