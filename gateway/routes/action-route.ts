import type { Engine } from '../../engine/org/start-engine.ts';
import { type Clock, systemScheduler } from '../../engine/runtime/clock.ts';
import { Turns } from '../../engine/runtime/turns.ts';
import type { Caller, TaskAction } from '../../schema/commands.ts';
import { type TaskActionsInput, taskActionsSchema, taskActionsView } from '../../schema/exceptions/task-actions.ts';
import { LIMITS } from '../../schema/limits.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** One action on many tasks. Source: docs/contract.md §3 "Actions". */
export function actionRoute(engine: Engine, clock: Clock): ApiRoute {
  const complaints = taskActionsSchema(clock.now);
  // One of these fills a turn of the loop. Small requests get their turn between them.
  const turns = new Turns(clock, systemScheduler, 0);
  return apiRoute({
    method: 'POST',
    path: '/tasks/actions',
    guard: may('tasks:assign'),
    body: { schema: taskActionsSchema(), complaintsFor: () => complaints, maxBytes: LIMITS.bodyBytes },
    extraCost: ({ taskIds }) => taskIds.length / LIMITS.batchItemsPerRequest,
    summary: 'Assign, unassign, search an agent for, cancel or amend up to 500 tasks; each item as its single call',
    success: { status: 200, data: taskActionsView },
    refusals: ['422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, body, facts, idempotency }) {
      await turns.next();
      const actions = body.taskIds.map((taskId) => actionOf(caller, taskId, body));
      const command = { kind: 'act-on-tasks', caller, actions, facts, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Actions');
    },
  });
}

/** The command of the single call. */
function actionOf(caller: Caller, taskId: number, body: TaskActionsInput): TaskAction {
  const { action, reason, reasonCode } = body;
  const why = { reason, reasonCode };
  switch (action) {
    case 'assign':
      return { kind: 'assign-task', caller, taskId, input: { agentId: body.agentId!, ...why } };
    case 'unassign':
      return { kind: 'unassign-task', caller, taskId, input: why };
    case 'auto_assign':
      return { kind: 'search-agent', caller, taskId };
    case 'cancel':
      return {
        kind: 'change-task-status',
        caller,
        taskId,
        input: { status: 'cancelled', ...why, occurredAt: body.occurredAt },
      };
    case 'amend':
      return { kind: 'amend-task', caller, taskId, input: body };
  }
}
