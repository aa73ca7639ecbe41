import { setTimeout as delay } from 'node:timers/promises';
import type { TaskView } from '../../schema/task-view.ts';
import { type ApiClient, taskInput } from '../support/api-client.ts';
import { type Journal, type Operation, type Outcome, refusedOutcome } from '../support/journal.ts';
import type { SeededOrganization } from '../support/seed.ts';

/** Makes one attempt at an operation; never rejects: no answer is an unknown outcome. */
export type Send = (operation: Operation, attempt: number) => Promise<Outcome>;

export interface LoadOptions {
  readonly journal: Journal;
  readonly send: Send;
  readonly organizationIds: readonly number[];
  readonly connections: number;
  /** Tasks to make; every fifth is cancelled as well. */
  readonly tasks: number;
  /** Begins every key. */
  readonly name: string;
  /** Looked at before each task: true ends the load early. */
  readonly isOver?: () => boolean;
  /** How long one operation is tried again while it gets no answer. */
  readonly patienceMs?: number;
}

const CANCELLED_SHARE = 5;
const PATIENCE_MS = 20_000;

/**
 * Clients that make tasks one after the other. An operation without an answer is tried again with the same key until
 * it has one; rejects when one never gets it.
 */
export async function runLoad(options: LoadOptions): Promise<void> {
  const { journal, organizationIds, connections, tasks, name, isOver = () => false } = options;
  let next = 0;
  const client = async () => {
    while (next < tasks && !isOver()) {
      const number = next++;
      const organizationId = organizationIds[number % organizationIds.length]!;
      const key = `${name}-${number}`;
      const made = await carryOut({ key, organizationId, kind: 'create' }, options);
      if (made.kind !== 'acknowledged' || number % CANCELLED_SHARE !== 0) continue;
      await carryOut({ key: `${key}-cancel`, organizationId, kind: 'cancel', taskId: made.taskId }, options);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));

  async function carryOut(operation: Operation, { send, patienceMs = PATIENCE_MS }: LoadOptions): Promise<Outcome> {
    journal.sent(operation);
    const givenUpAt = performance.now() + patienceMs;
    for (let attempt = 0; ; attempt++) {
      const outcome = await send(operation, attempt);
      journal.heard(operation.key, outcome);
      if (outcome.kind === 'acknowledged' || (outcome.kind === 'refused' && outcome.status !== 503)) return outcome;
      if (performance.now() > givenUpAt) {
        throw new Error(`${operation.key} got no answer in ${attempt + 1} attempts, last ${JSON.stringify(outcome)}`);
      }
      await delay(Math.min(20 * (attempt + 1), 250));
    }
  }
}

/** The body that makes the task of an operation. Customers come again and again, so that they are found and shared. */
export function createBody(key: string): Record<string, unknown> {
  const number = Number(/\d+/.exec(key)?.[0] ?? 0);
  const phone = `+4420794600${String(number % 40).padStart(2, '0')}`;
  return taskInput({ name: key, customer: { name: `Customer ${number % 40}`, phone } });
}

/** Sends over HTTP. `clientsOf` names the clients of an organization; each attempt goes to the next one. */
export function sendOverHttp(clientsOf: (organizationId: number) => readonly ApiClient[]): Send {
  return async ({ key, organizationId, kind, taskId }, attempt) => {
    const clients = clientsOf(organizationId);
    const client = clients[attempt % clients.length]!;
    const headers = { 'idempotency-key': key };
    try {
      const { status, body } =
        kind === 'create'
          ? await client.post<TaskView>('/tasks', createBody(key), headers)
          : await client.put<TaskView>(`/tasks/${taskId}/status`, { status: 'cancelled' }, headers);
      if (status >= 300) return refusedOutcome(status, body?.code);
      const sequence = Number(body.metadata.position.split('-')[1]);
      return { kind: 'acknowledged', taskId: body.data.id, sequence, data: JSON.stringify(body.data) };
    } catch (error) {
      return { kind: 'unknown', why: (error as Error).message };
    }
  };
}

/** Organizations by their ids. */
export function byOrganization<T>(
  organizations: readonly SeededOrganization[],
  make: (organization: SeededOrganization) => T,
): (organizationId: number) => T {
  const made = new Map(organizations.map((organization) => [organization.organizationId, make(organization)]));
  return (organizationId) => made.get(organizationId)!;
}
