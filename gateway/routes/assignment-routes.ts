import type { Engine } from '../../engine/org/start-engine.ts';
import { assignTaskInput, unassignTaskInput } from '../../schema/assignment/assign-task.ts';
import { LIMITS } from '../../schema/limits.ts';
import { taskView } from '../../schema/tasks/task-view.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** Manual assignment, and the request to search for an agent. Source: docs/contract.md §3 "Transitions", "Also". */
export function assignmentRoutes(engine: Engine): ApiRoute[] {
  const refusals = ['404', '409 INVALID_STATUS_TRANSITION', '409 STATUS_DERIVED', '422 IDEMPOTENCY_KEY_REUSED'];
  const assign: ApiRoute = apiRoute({
    method: 'POST',
    path: '/tasks/:id/assign',
    guard: may('tasks:assign'),
    body: { schema: assignTaskInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Give a task to an agent; from another one it is taken back first',
    success: { status: 200, data: taskView },
    refusals: [...refusals, '409 AGENT_NOT_ACTIVE', '409 AGENT_SLOT_TAKEN', '409 AGENT_OVER_CAPACITY'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'assign-task', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task assigned');
    },
  });
  const unassign: ApiRoute = apiRoute({
    method: 'POST',
    path: '/tasks/:id/unassign',
    guard: may('tasks:assign'),
    body: { schema: unassignTaskInput, maxBytes: LIMITS.bodyBytes, mayBeAbsent: true },
    summary: 'Take a task from its courier, who has not set out yet',
    success: { status: 200, data: taskView },
    refusals,
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'unassign-task', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task unassigned');
    },
  });
  const search: ApiRoute = apiRoute({
    method: 'POST',
    path: '/tasks/:id/auto-assign',
    guard: may('tasks:assign'),
    summary: 'Search for an agent, for the first time or again; a running search stays as it is',
    success: { status: 200, data: taskView },
    refusals,
    async handle({ identity: { organizationId, caller }, params, idempotency }) {
      const command = { kind: 'search-agent', caller, taskId: params.id, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Looking for an agent');
    },
  });
  return [assign, unassign, search];
}
