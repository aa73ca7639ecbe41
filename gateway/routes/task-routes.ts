import { onlyAgentOf } from '../../engine/domain/tasks/task-machine.ts';
import type { Engine } from '../../engine/org/start-engine.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import { readTaskHistory } from '../../engine/store/records/task-history-store.ts';
import { notFound } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { changeStatusInput, pickUpInput } from '../../schema/tasks/change-status.ts';
import { type CreateTaskInput, type CreateTaskOptions, createTaskSchema } from '../../schema/tasks/create-task.ts';
import { taskHistoryView } from '../../schema/tasks/task-history.ts';
import { taskView } from '../../schema/tasks/task-view.ts';
import { updateTaskSchema } from '../../schema/tasks/update-task.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, type BodySchema, type Identity, may } from '../route.ts';

/** The routes of tasks: create, read, update, change status, pick up, history. Source: docs/contract.md §3 "Endpoints". */
export function taskRoutes(engine: Engine, reads: Reads, clock: Clock): ApiRoute[] {
  return [
    createTask(engine, clock),
    readTask(engine),
    updateTask(engine, clock),
    changeTaskStatus(engine),
    pickUpTask(engine),
    readHistory(engine, reads),
  ];
}

const CASH_HANDLERS: ReadonlySet<Identity['role']> = new Set(['dispatcher', 'org_admin', 'super_admin']);

/** The body of one new task. Only callers that handle cash may create cash tasks. */
export function createTaskBody({ now }: Pick<Clock, 'now'>): BodySchema<CreateTaskInput> {
  const byCash = (options: CreateTaskOptions) => {
    const [plain, withCash] = [createTaskSchema(options), createTaskSchema({ ...options, cash: true })];
    return ({ role }: Identity) => (CASH_HANDLERS.has(role) ? withCash : plain);
  };
  return {
    schema: createTaskSchema({ cash: true }),
    schemaFor: byCash({}),
    complaintsFor: byCash({ now }),
    maxBytes: LIMITS.bodyBytes,
  };
}

function createTask(engine: Engine, clock: Clock): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/tasks',
    guard: may('tasks:create'),
    body: createTaskBody(clock),
    summary: 'Create a task, a child of a job (`parentId`), or a job with its `children`',
    success: { status: 201, data: taskView },
    refusals: [
      '403 PACKAGE_LIMIT_EXCEEDED',
      '404',
      '409 TASK_CODE_TAKEN',
      '409 PACKAGE_ATTACHED',
      '409 WAREHOUSE_INACTIVE',
      '409 INVALID_PARENT',
      '409 TASK_TOO_LARGE',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, body: input, idempotency }) {
      const answer = await engine.ask(organizationId, { kind: 'create-task', caller, input, idempotency });
      return engineAnswer(engine, answer, 'Task created');
    },
  });
}

function readTask(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/tasks/:id',
    guard: may('tasks:read'),
    etag: true,
    summary: 'Read a task',
    success: { status: 200, data: taskView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const command = { kind: 'read-task', caller, taskId: params.id, show: 'task' } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task');
    },
  });
}

function updateTask(engine: Engine, clock: Clock): ApiRoute {
  const complaints = updateTaskSchema(clock.now);
  return apiRoute({
    method: 'PATCH',
    path: '/tasks/:id',
    guard: may('tasks:change'),
    body: { schema: updateTaskSchema(), complaintsFor: () => complaints, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary: 'Update a task in new or awaiting_assignment',
    success: { status: 200, data: taskView },
    refusals: [
      '404',
      '409 TASK_NOT_EDITABLE',
      '409 WAREHOUSE_INACTIVE',
      '409 TASK_TOO_LARGE',
      '412 PRECONDITION_FAILED',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency, ifMatch }) {
      const command = { kind: 'update-task', caller, taskId: params.id, input, idempotency, ifMatch } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task updated');
    },
  });
}

function changeTaskStatus(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'PUT',
    path: '/tasks/:id/status',
    guard: may('tasks:step'),
    body: { schema: changeStatusInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Change the status of a task; `cancelled` cancels it, and a job with its open children',
    success: { status: 200, data: taskView },
    refusals: [
      '404',
      '409 INVALID_STATUS_TRANSITION',
      '409 ASSIGNMENT_REQUEST_EXPIRED',
      '409 PROOF_REQUIRED',
      '409 AGENT_REQUIRED',
      '409 STATUS_DERIVED',
      '409 INSUFFICIENT_FUNDS',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'change-task-status', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task status changed');
    },
  });
}

function pickUpTask(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/tasks/:id/picked-up',
    guard: may('tasks:step'),
    body: { schema: pickUpInput, maxBytes: LIMITS.bodyBytes, mayBeAbsent: true },
    summary: 'Say that the courier has the goods of a task with a pickup place; told again, it changes nothing',
    success: { status: 200, data: taskView },
    refusals: [
      '404',
      '409 STATUS_DERIVED',
      '409 NO_PICKUP_PLACE',
      '409 PICKUP_NOT_EXPECTED',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'pick-up-task', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Task picked up');
    },
  });
}

function readHistory(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/tasks/:id/history',
    guard: may('tasks:read'),
    summary: 'Read the steps in the life of a task, oldest first',
    success: { status: 200, data: taskHistoryView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const taskId = params.id;
      const found = await reads.run(organizationId, (sql) =>
        readTaskHistory(sql, organizationId, taskId, onlyAgentOf(caller)),
      );
      if (!found) return { refusal: notFound('Task', taskId) };
      const data = JSON.stringify({ items: found.steps, count: found.steps.length });
      return { status: 200, message: 'Task history', data, position: formatPosition(engine.history, found.sequence) };
    },
  });
}
