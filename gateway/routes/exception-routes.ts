import type { Engine } from '../../engine/org/start-engine.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import { amendTaskSchema } from '../../schema/exceptions/amend-task.ts';
import { reassignTaskInput } from '../../schema/exceptions/reassign-task.ts';
import { reattemptTaskSchema } from '../../schema/exceptions/reattempt-task.ts';
import { LIMITS } from '../../schema/limits.ts';
import { taskView } from '../../schema/tasks/task-view.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** The exceptions of a day. Source: docs/contract.md §3 "Exceptions". */
export function exceptionRoutes(engine: Engine, clock: Clock): ApiRoute[] {
  return [amendTask(engine, clock), reassignTask(engine), reattemptTask(engine, clock)];
}

function amendTask(engine: Engine, { now }: Pick<Clock, 'now'>): ApiRoute {
  const complaints = amendTaskSchema(now);
  return apiRoute({
    method: 'POST',
    path: '/tasks/:id/amend',
    guard: may('tasks:exceptions'),
    body: { schema: amendTaskSchema(), complaintsFor: () => complaints, maxBytes: LIMITS.bodyBytes },
    summary: 'Change an open task, also while a courier has it; the courier gets a push',
    success: { status: 200, data: taskView },
    refusals: [
      '404',
      '409 TASK_NOT_EDITABLE',
      '409 AGENT_SLOT_TAKEN',
      '409 TASK_TOO_LARGE',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'amend-task', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task amended');
    },
  });
}

function reassignTask(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/tasks/:id/reassign',
    guard: may('tasks:exceptions'),
    body: { schema: reassignTaskInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Give a task from its courier to another agent; both get a push',
    success: { status: 200, data: taskView },
    refusals: [
      '404',
      '409 STATUS_DERIVED',
      '409 INVALID_STATUS_TRANSITION',
      '409 TASK_MOVED_ON',
      '409 AGENT_NOT_ACTIVE',
      '409 AGENT_SLOT_TAKEN',
      '409 AGENT_OVER_CAPACITY',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'reassign-task', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task reassigned');
    },
  });
}

function reattemptTask(engine: Engine, { now }: Pick<Clock, 'now'>): ApiRoute {
  const complaints = reattemptTaskSchema(now);
  return apiRoute({
    method: 'POST',
    path: '/tasks/:id/reattempt',
    guard: may('tasks:exceptions'),
    body: {
      schema: reattemptTaskSchema(),
      complaintsFor: () => complaints,
      maxBytes: LIMITS.bodyBytes,
      mayBeAbsent: true,
    },
    summary: 'Attempt a task that was completed as failed once more, or bring its packages back, by a new task',
    success: { status: 201, data: taskView },
    refusals: [
      '403 PACKAGE_LIMIT_EXCEEDED',
      '404',
      '409 TASK_NOT_FAILED',
      '409 TASK_ALREADY_REATTEMPTED',
      '409 TASK_NOT_RETURNABLE',
      '409 STATUS_DERIVED',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'reattempt-task', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task created');
    },
  });
}
