import { startingIn } from '../../engine/domain/assignment/agent-shifts.ts';
import { heldTimeOf } from '../../engine/domain/tasks/held-time.ts';
import { maySee, onlyAgentOf } from '../../engine/domain/tasks/task-machine.ts';
import type { Engine } from '../../engine/org/start-engine.ts';
import { readBalances } from '../../engine/store/payments/ledger-store.ts';
import { readAgentSchedule } from '../../engine/store/records/agent-schedule-store.ts';
import { readAgent as readAgentDetail, listAgents as readAgentPage } from '../../engine/store/records/agent-store.ts';
import { encodeAgent, encodeSchedule, encodeShifts } from '../../engine/views/agent-view.ts';
import { encodeAgentCash } from '../../engine/views/money/ledger-view.ts';
import { notFound } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import {
  agentListView,
  agentView,
  changeDutyInput,
  createAgentInput,
  listAgentsQuery,
  updateAgentInput,
} from '../../schema/fleet/agent.ts';
import { listShiftsQuery, putShiftsInput, shiftListView } from '../../schema/fleet/shift.ts';
import { LIMITS } from '../../schema/limits.ts';
import { agentCashView } from '../../schema/money/ledger.ts';
import { listTasksQuery, TASK_LIST_PARAMETERS, taskPageView } from '../../schema/tasks/list-tasks.ts';
import { scheduleView } from '../../schema/tasks/schedule.ts';
import type { Administration } from '../administration/open-administration.ts';
import { sealedKey } from '../administration/sealed-outcome.ts';
import { pageAnswer } from '../page-answer.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';
import { answerTaskPage } from './task-page.ts';

/** The routes of agents. Source: docs/contract.md §4. */
export function agentRoutes(engine: Engine, reads: Reads, administration: Administration): ApiRoute[] {
  return [
    createAgent(engine, administration),
    listAgents(engine, reads),
    readAgent(engine, reads),
    updateAgent(engine, administration),
    changeDuty(engine),
    putShifts(engine),
    listShifts(engine, reads),
    listTasksOfAgent(engine, reads),
    readSchedule(engine, reads),
    readCash(engine, reads),
  ];
}

function createAgent(engine: Engine, { hashPassword }: Administration): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/agents',
    guard: may('agents:change'),
    body: { schema: createAgentInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Create an agent with the user it signs in as; without a password it is mailed a token to set one with',
    success: { status: 201, data: agentView },
    refusals: ['403 PACKAGE_LIMIT_EXCEEDED', '409 USER_EMAIL_TAKEN', '422 IDEMPOTENCY_KEY_REUSED', '429 RATE_LIMITED'],
    async handle({ identity: { organizationId, caller }, origin, body, idempotency }) {
      const { password, ...input } = body;
      const passwordHash = password ? await hashPassword(password, origin.address) : null;
      // The digest that the actor keeps of the request must not allow to guess a password in it.
      const key = idempotency && sealedKey(idempotency);
      const command = { kind: 'create-agent', caller, input, passwordHash, idempotency: key } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Agent created');
    },
  });
}

function listAgents(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/agents',
    guard: may('agents:read'),
    query: { schema: listAgentsQuery, lists: new Set() },
    summary: 'List agents, newest first; `search` finds parts of names, e-mail addresses and phone numbers',
    success: { status: 200, data: agentListView },
    refusals: [],
    async handle({ identity: { organizationId, caller }, query }) {
      const page = await reads.run(organizationId, (sql) =>
        readAgentPage(sql, organizationId, query, onlyAgentOf(caller)),
      );
      return pageAnswer(engine.history, 'Agents', page, encodeAgent);
    },
  });
}

function readAgent(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/agents/:id',
    me: true,
    guard: may('agents:read'),
    etag: true,
    summary: 'Read an agent',
    success: { status: 200, data: agentView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const agentId = params.id;
      if (!maySee({ agentId }, caller)) return { refusal: notFound('Agent', agentId) };
      const found = await reads.run(organizationId, (sql) => readAgentDetail(sql, organizationId, agentId));
      if (!found) return { refusal: notFound('Agent', agentId) };
      const position = formatPosition(engine.history, found.sequence);
      return { status: 200, message: 'Agent', data: encodeAgent(found.agent), position };
    },
  });
}

function updateAgent(engine: Engine, { settled }: Administration): ApiRoute {
  return apiRoute({
    method: 'PATCH',
    path: '/agents/:id',
    me: true,
    guard: may('agents:change'),
    body: { schema: updateAgentInput, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary:
      'Change an agent, and its user with it: only the fields that are sent. With `isActive: false` its sessions end',
    success: { status: 200, data: agentView },
    refusals: ['404', '409 AGENT_HAS_OPEN_TASKS', '412 PRECONDITION_FAILED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency, ifMatch }) {
      const command = { kind: 'update-agent', caller, agentId: params.id, input, idempotency, ifMatch } as const;
      const answer = await engine.ask(organizationId, command);
      // Wait until every process has applied lost permissions, then answer.
      if (answer.ok && input.isActive != null) await settled();
      return engineAnswer(engine, answer, 'Agent updated');
    },
  });
}

function changeDuty(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'PUT',
    path: '/agents/:id/duty',
    me: true,
    guard: may('agents:duty'),
    body: { schema: changeDutyInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Put an agent on or off duty',
    success: { status: 200, data: agentView },
    refusals: ['404', '409 AGENT_NOT_ACTIVE', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'change-duty', caller, agentId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Agent duty changed');
    },
  });
}

function putShifts(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'PUT',
    path: '/agents/:id/shifts',
    me: true,
    guard: may('agents:change'),
    body: { schema: putShiftsInput, maxBytes: LIMITS.bodyBytes },
    summary:
      'Set the shifts of an agent that start in [from, to), instead of those that did. Outside of its shifts and in ' +
      'its breaks an agent is offered nothing; one without shifts is bound by duty alone',
    success: { status: 200, data: shiftListView },
    refusals: ['404', '409 TOO_MANY_SHIFTS', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'put-shifts', caller, agentId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Shifts set');
    },
  });
}

function listShifts(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/agents/:id/shifts',
    me: true,
    guard: may('agents:read'),
    query: { schema: listShiftsQuery, lists: new Set() },
    summary: 'List the shifts of an agent that start in [from, to), in their order',
    success: { status: 200, data: shiftListView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params, query: { from, to } }) {
      const agentId = params.id;
      if (!maySee({ agentId }, caller)) return { refusal: notFound('Agent', agentId) };
      const found = await reads.run(organizationId, (sql) => readAgentDetail(sql, organizationId, agentId));
      if (!found) return { refusal: notFound('Agent', agentId) };
      const data = encodeShifts(startingIn(found.agent.shifts, from, to));
      return { status: 200, message: 'Shifts', data, position: formatPosition(engine.history, found.sequence) };
    },
  });
}

function listTasksOfAgent(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/agents/:id/tasks',
    me: true,
    guard: may('agents:read'),
    query: { schema: listTasksQuery, lists: TASK_LIST_PARAMETERS },
    summary: 'List the tasks of an agent, as GET /tasks does',
    success: { status: 200, data: taskPageView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params, query }) {
      const agentId = params.id;
      if (!maySee({ agentId }, caller)) return { refusal: notFound('Agent', agentId) };
      const found = await reads.run(organizationId, (sql) => readAgentDetail(sql, organizationId, agentId));
      if (!found) return { refusal: notFound('Agent', agentId) };
      // Use the filters and cursors of GET /tasks, as the agent's own list does.
      return answerTaskPage(engine, organizationId, query, { role: 'agent', agentId });
    },
  });
}

function readSchedule(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/agents/:id/schedule',
    me: true,
    guard: may('agents:read'),
    summary:
      'Read the open tasks of an agent with the time that each takes up, those first that begin first; ' +
      'what is `exclusive` overlaps with nothing else that is; with the shifts that have not ended',
    success: { status: 200, data: scheduleView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const agentId = params.id;
      if (!maySee({ agentId }, caller)) return { refusal: notFound('Agent', agentId) };
      const schedule = await reads.run(organizationId, (sql) => readAgentSchedule(sql, organizationId, agentId));
      if (!schedule) return { refusal: notFound('Agent', agentId) };
      const items = schedule.items.map((task) => ({ ...heldTimeOf(task), taskId: task.taskId, status: task.status }));
      const position = formatPosition(engine.history, schedule.sequence);
      return {
        status: 200,
        message: 'Schedule',
        data: encodeSchedule(items, schedule.count, schedule.shifts),
        position,
      };
    },
  });
}

function readCash(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/agents/:id/cash',
    me: true,
    guard: may('agents:cash'),
    etag: true,
    summary: 'Read what an agent has collected in cash and not handed over',
    success: { status: 200, data: agentCashView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const agentId = params.id;
      if (!maySee({ agentId }, caller)) return { refusal: notFound('Agent', agentId) };
      const cash = await reads.run(organizationId, (sql) => readBalances(sql, organizationId, 'agent_cash', agentId));
      if (!cash) return { refusal: notFound('Agent', agentId) };
      const position = formatPosition(engine.history, cash.sequence);
      return { status: 200, message: 'Cash', data: encodeAgentCash(agentId, cash), position };
    },
  });
}
