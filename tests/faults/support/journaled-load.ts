import { AssertionError } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, type ApiReply, taskInput } from '../../support/api-client.ts';
import { ContractBreach } from '../../support/contract/check-contract.ts';
import { type Journal, namesOf, type Operation, type Outcome, refusedOutcome } from '../../support/journal.ts';
import type { SeededOrganization } from '../../support/seeds/seed.ts';
import { PATIENCE_MS } from '../../support/until.ts';

/** Makes one attempt at an operation. No answer is an unknown outcome; it rejects only for one that breaks the contract. */
export type Send = (operation: Operation, attempt: number) => Promise<Outcome>;

export interface LoadOptions {
  readonly journal: Journal;
  readonly send: Send;
  readonly organizationIds: readonly number[];
  readonly connections: number;
  /** The number of tasks to create; every fifth is cancelled too. */
  readonly tasks: number;
  /** Whether the load also creates jobs and batches and updates tasks. Only over HTTP. */
  readonly mixed?: boolean;
  /** The start of every key. */
  readonly name: string;
  /** Called before each task: true ends the load early. */
  readonly isOver?: () => boolean;
  /** Whether an outcome that is retried otherwise ends the attempts at its operation. */
  readonly isEnough?: (outcome: Outcome) => boolean;
  /** How long to retry one operation while it gets no answer. */
  readonly patienceMs?: number;
}

const CANCELLED_SHARE = 5;
const UPDATED_SHARE = 3;
/** Two of ten operations of a mixed load: the one that creates a job, and the one that creates a batch. */
const [JOB, BATCH] = [1, 3];

/**
 * Clients that create tasks one after the other. They retry an operation without an answer with the same key until it
 * has one. Rejects when an operation never gets an answer, or one that breaks the contract.
 */
export async function runLoad(options: LoadOptions): Promise<void> {
  const { journal, organizationIds, connections, tasks, name, mixed = false, isOver = () => false } = options;
  let next = 0;
  const client = async () => {
    while (next < tasks && !isOver()) {
      const number = next++;
      const organizationId = organizationIds[number % organizationIds.length]!;
      const key = `${name}-${number}`;
      const kind = mixed ? kindOf(number) : 'create';
      const made = await carryOut({ key, organizationId, kind }, options);
      if (made.kind !== 'acknowledged') continue;
      const { taskId } = made;
      if (mixed && number % UPDATED_SHARE === 0)
        await carryOut({ key: `${key}-update`, organizationId, kind: 'update', taskId }, options);
      if (number % CANCELLED_SHARE === 0 || (kind === 'job' && number % 20 === JOB))
        await carryOut({ key: `${key}-cancel`, organizationId, kind: 'cancel', taskId }, options);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));

  async function carryOut(
    operation: Operation,
    { send, isEnough = () => false, patienceMs = PATIENCE_MS }: LoadOptions,
  ): Promise<Outcome> {
    journal.sent(operation);
    const givenUpAt = performance.now() + patienceMs;
    for (let attempt = 0; ; attempt++) {
      const outcome = await send(operation, attempt);
      journal.heard(operation.key, outcome);
      if (outcome.kind === 'acknowledged' || (outcome.kind === 'refused' && outcome.status !== 503)) return outcome;
      if (isEnough(outcome)) return outcome;
      if (performance.now() > givenUpAt) {
        throw new Error(`${operation.key} got no answer in ${attempt + 1} attempts, last ${JSON.stringify(outcome)}`);
      }
      await delay(Math.min(20 * (attempt + 1), 250));
    }
  }
}

/** The body that creates the task of an operation. Customers repeat, so that they are found and shared. */
export function createBody(key: string): Record<string, unknown> {
  const number = Number(/\d+/.exec(key)?.[0] ?? 0);
  const phone = `+4420794600${String(number % 40).padStart(2, '0')}`;
  return taskInput({ name: key, customer: { name: `Customer ${number % 40}`, phone } });
}

function kindOf(number: number): 'create' | 'job' | 'batch' {
  if (number % 10 === JOB) return 'job';
  return number % 10 === BATCH ? 'batch' : 'create';
}

/** Sends over HTTP. `clientsOf` returns the clients of an organization; each attempt uses the next one. */
export function sendOverHttp(clientsOf: (organizationId: number) => readonly ApiClient[]): Send {
  return async (operation, attempt) => {
    const clients = clientsOf(operation.organizationId);
    const client = clients[attempt % clients.length]!;
    const reply = await ask(client, operation).catch((error: Error) => {
      // An answer came, and it is wrong.
      if (error instanceof ContractBreach || error instanceof AssertionError) throw error;
      return error;
    });
    if (reply instanceof Error) return { kind: 'unknown', why: reply.message };
    const { status, body } = reply;
    if (status >= 300) return refusedOutcome(status, body?.code);
    const sequence = Number(body.metadata.position.split('-')[1]);
    const taskIds = idsIn(operation, body.data);
    return { kind: 'acknowledged', taskId: taskIds[0]!, taskIds, sequence, data: JSON.stringify(body.data) };
  };
}

interface BatchData {
  readonly items: readonly { readonly task?: TaskView }[];
}

function ask(client: ApiClient, operation: Operation): Promise<ApiReply<TaskView | BatchData>> {
  const { key, kind, taskId } = operation;
  const headers = { 'idempotency-key': key };
  switch (kind) {
    case 'create':
      return client.post('/tasks', { ...createBody(key), packages: [{ name: `Package of ${key}` }] }, headers);
    case 'job': {
      const children = namesOf(operation).slice(1).map(createBody);
      return client.post('/tasks', { ...createBody(key), children }, headers);
    }
    case 'batch': {
      // Odd operations rely on the keys of their items alone.
      const hasOwnKeys = key.length % 2 === 1;
      const tasks = namesOf(operation).map((name) =>
        hasOwnKeys ? { ...createBody(name), idempotencyKey: name } : createBody(name),
      );
      return client.post<BatchData>('/tasks/batch?atomic=true', { tasks }, hasOwnKeys ? {} : headers);
    }
    case 'update':
      return client.patch(`/tasks/${taskId}`, { notes: key }, headers);
    case 'cancel':
      return client.put(`/tasks/${taskId}/status`, { status: 'cancelled' }, headers);
  }
}

/** The tasks of an answer, in the order of the operation's names. */
function idsIn({ kind }: Operation, data: TaskView | BatchData): number[] {
  if ('items' in data) return data.items.map(({ task }) => task!.id);
  return kind === 'job' ? [data.id, ...data.children.map(({ id }) => id)] : [data.id];
}

/** Organizations by their ids. */
export function byOrganization<T>(
  organizations: readonly SeededOrganization[],
  make: (organization: SeededOrganization) => T,
): (organizationId: number) => T {
  const made = new Map(organizations.map((organization) => [organization.organizationId, make(organization)]));
  return (organizationId) => made.get(organizationId)!;
}
