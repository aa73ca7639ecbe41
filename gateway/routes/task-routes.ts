import type { Engine } from '../../engine/org/start-engine.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import { encodeTask } from '../../engine/views/task-view.ts';
import { type ChangeStatusInput, changeStatusInput } from '../../schema/change-status.ts';
import type { Answer } from '../../schema/commands.ts';
import { type CreateTaskInput, createTaskSchema } from '../../schema/create-task.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ListTasksQuery, listTasksQuery, TASK_LIST_PARAMETERS } from '../../schema/list-tasks.ts';
import { taskListView, taskView } from '../../schema/task-view.ts';
import type { ApiRoute, Guard, RouteAnswer } from '../route.ts';

const TASK_ROLES: Guard = { kind: 'roles', roles: ['integration', 'dispatcher', 'org_admin'] };

/** Tasks: create, list, read, cancel. Source: interface.md "Endpoints". */
export function taskRoutes(engine: Engine, clock: Clock): ApiRoute[] {
  return [createTask(engine, clock), listTasks(engine), readTask(engine), changeTaskStatus(engine)];
}

function createTask(engine: Engine, clock: Clock): ApiRoute {
  return {
    kind: 'api',
    method: 'POST',
    path: '/tasks',
    guard: TASK_ROLES,
    body: { schema: createTaskSchema(clock.now), maxBytes: LIMITS.bodyBytes },
    summary: 'Create a task',
    success: { status: 201, data: taskView },
    refusals: [
      '403 PACKAGE_LIMIT_EXCEEDED',
      '404',
      '409 TASK_CODE_TAKEN',
      '409 PACKAGE_ATTACHED',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, body, idempotency }) {
      const input = body as CreateTaskInput;
      const answer = await engine.ask(organizationId, { kind: 'create-task', caller, input, idempotency });
      return routeAnswer(engine, answer, 'Task created');
    },
  };
}

function listTasks(engine: Engine): ApiRoute {
  return {
    kind: 'api',
    method: 'GET',
    path: '/tasks',
    guard: TASK_ROLES,
    query: { schema: listTasksQuery, lists: TASK_LIST_PARAMETERS },
    summary: 'List tasks',
    success: { status: 200, data: taskListView },
    refusals: [],
    async handle({ identity, query }) {
      const { items, count, sequence } = await engine.listTasks(identity.organizationId, query as ListTasksQuery);
      const data = `{"items":[${items.map(encodeTask).join(',')}],"count":${count}}`;
      return { status: 200, message: 'Tasks', data, position: formatPosition(engine.history, sequence) };
    },
  };
}

function readTask(engine: Engine): ApiRoute {
  return {
    kind: 'api',
    method: 'GET',
    path: '/tasks/:id',
    guard: TASK_ROLES,
    summary: 'Read a task',
    success: { status: 200, data: taskView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const answer = await engine.ask(organizationId, { kind: 'read-task', caller, taskId: params['id']! });
      return routeAnswer(engine, answer, 'Task');
    },
  };
}

function changeTaskStatus(engine: Engine): ApiRoute {
  return {
    kind: 'api',
    method: 'PUT',
    path: '/tasks/:id/status',
    guard: TASK_ROLES,
    body: { schema: changeStatusInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Change the status of a task; `cancelled` cancels it',
    success: { status: 200, data: taskView },
    refusals: ['404', '409 INVALID_STATUS_TRANSITION', '409 AGENT_REQUIRED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body, idempotency }) {
      const input = body as ChangeStatusInput;
      const command = { kind: 'change-task-status', caller, taskId: params['id']!, input, idempotency } as const;
      return routeAnswer(engine, await engine.ask(organizationId, command), 'Task status changed');
    },
  };
}

function routeAnswer(engine: Engine, answer: Answer, message: string): RouteAnswer {
  const replayed = answer.replayed === true;
  if (!answer.ok) return { refusal: answer.refusal, replayed };
  const { status, data, sequence } = answer;
  return { status, message, data, replayed, position: formatPosition(engine.history, sequence) };
}
