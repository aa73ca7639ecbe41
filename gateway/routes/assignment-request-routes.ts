import { onlyAgentOf } from '../../engine/domain/tasks/task-machine.ts';
import type { Engine } from '../../engine/org/start-engine.ts';
import { listAssignmentRequests, readAssignmentRequest } from '../../engine/store/records/assignment-request-store.ts';
import { encodeAssignmentRequest } from '../../engine/views/assignment-request-view.ts';
import {
  assignmentRequestListView,
  assignmentRequestView,
  listRequestsQuery,
  rejectRequestInput,
} from '../../schema/assignment/assignment.ts';
import { notFound } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { pageAnswer } from '../page-answer.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may, type ParsedRequest, type RouteAnswer } from '../route.ts';

/** The routes of assignment requests and the agents' responses. Source: docs/contract.md §5. */
export function assignmentRequestRoutes(engine: Engine, reads: Reads): ApiRoute[] {
  return [listRequests(engine, reads), readRequest(engine, reads), acceptRequest(engine), rejectRequest(engine)];
}

function listRequests(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/assignment-requests',
    guard: may('requests:read'),
    query: { schema: listRequestsQuery, lists: new Set(['status', 'agentId']) },
    summary: 'List what agents were asked, newest first; an agent sees what it was asked itself',
    success: { status: 200, data: assignmentRequestListView },
    refusals: [],
    async handle({ identity: { organizationId, caller }, query }) {
      const page = await reads.run(organizationId, (sql) =>
        listAssignmentRequests(sql, organizationId, query, onlyAgentOf(caller)),
      );
      return pageAnswer(engine.history, 'Assignment requests', page, encodeAssignmentRequest);
    },
  });
}

function readRequest(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/assignment-requests/:id',
    guard: may('requests:read'),
    etag: true,
    summary: 'Read what an agent was asked',
    success: { status: 200, data: assignmentRequestView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const requestId = params.id;
      const found = await reads.run(organizationId, (sql) =>
        readAssignmentRequest(sql, organizationId, requestId, onlyAgentOf(caller)),
      );
      if (!found) return { refusal: notFound('Assignment request', requestId) };
      const position = formatPosition(engine.history, found.sequence);
      return { status: 200, message: 'Assignment request', data: encodeAssignmentRequest(found.request), position };
    },
  });
}

const REFUSALS = [
  '404',
  '409 ASSIGNMENT_ALREADY_TAKEN',
  '409 ASSIGNMENT_REQUEST_EXPIRED',
  '409 ASSIGNMENT_REQUEST_CLOSED',
  '422 IDEMPOTENCY_KEY_REUSED',
];

function acceptRequest(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/assignment-requests/:id/accept',
    guard: may('requests:answer'),
    summary: 'Take the task; of several who are asked the first one has it. A dispatcher answers for the agent',
    success: { status: 200, data: assignmentRequestView },
    refusals: [...REFUSALS, '409 AGENT_NOT_ACTIVE', '409 AGENT_SLOT_TAKEN', '409 AGENT_OVER_CAPACITY'],
    handle: (request) => answer(engine, request, { answer: 'accept' }, 'Assignment request accepted'),
  });
}

function rejectRequest(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/assignment-requests/:id/reject',
    guard: may('requests:answer'),
    body: { schema: rejectRequestInput, maxBytes: LIMITS.bodyBytes, mayBeAbsent: true },
    summary: 'Turn the task down: somebody else is looked for. A dispatcher answers for the agent',
    success: { status: 200, data: assignmentRequestView },
    refusals: REFUSALS,
    handle(request) {
      const { reason = null } = request.body;
      return answer(engine, request, { answer: 'reject', reason }, 'Assignment request rejected');
    },
  });
}

async function answer(
  engine: Engine,
  { identity: { organizationId, caller }, params, idempotency }: ParsedRequest<{ readonly id: number }>,
  given: { readonly answer: 'accept' | 'reject'; readonly reason?: string | null },
  message: string,
): Promise<RouteAnswer> {
  const command = { kind: 'answer-request', caller, requestId: params.id, ...given, idempotency } as const;
  return engineAnswer(engine, await engine.ask(organizationId, command), message);
}
