import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { isTerminal, type TaskStatus } from '../../../schema/tasks/task.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { type AssignmentFixture, startAssignmentFixture } from './assignment-fixture.ts';
import { assignmentStep } from './assignment-step.ts';

const AGENTS = 4;
const CAPACITY = { type: 'bike', maxWeightKg: 10, maxVolumeM3: null, maxPackages: 4 };
const MAX_TASKS = 3;
const BURSTS = rounds(60);
const HOUR = 3_600_000;

let fixture: AssignmentFixture;
const agents: number[] = [];

before(async () => {
  fixture = await startAssignmentFixture({ maxTasksPerAgent: MAX_TASKS, maxAttempts: 4, leadMinutes: 100_000 });
  for (let i = 0; i < AGENTS; i++) agents.push(await fixture.agent(CAPACITY));
});
after(() => fixture.stop());

/** An action; `task` and `agent` count through the existing ones. */
const step = fc.record({
  what: fc.constantFrom(
    ...(['create', 'create', 'propose', 'propose', 'propose', 'accept', 'accept', 'reject', 'expire'] as const),
    ...(['assign', 'unassign', 'cancel', 'work', 'reschedule', 'restart', 'search', 'broadcast'] as const),
  ),
  task: fc.nat(50),
  agent: fc.nat(AGENTS - 1),
  slot: fc.option(fc.nat(12), { nil: undefined }),
  weight: fc.nat(6),
});
type Step = ReturnType<typeof step.generate>['value'];

const tasks: number[] = [];

async function carryOut({ what, task: number, agent, slot, weight }: Step): Promise<void> {
  const caller = fixture.staff;
  const scheduledAt = new Date(
    Math.floor(fixture.now() / HOUR) * HOUR + 48 * HOUR + (slot ?? 0) * (HOUR / 4),
  ).toISOString();
  if (what === 'create' || tasks.length === 0) {
    const when = slot === undefined ? {} : { timeToServe: 'scheduled', scheduledAt, estimatedDuration: 30 };
    tasks.push((await fixture.task({ ...when, packages: [{ name: 'a', weight: 2 + weight, quantity: 1 }] })).id);
    return;
  }
  // Mostly of the newest, or most steps would be about tasks that have ended.
  const taskId = tasks.at(-1 - (number % Math.min(tasks.length, 12)))!;
  await (assignmentStep(fixture, what, taskId, agents[agent]!, agents) ?? changeTask());

  async function changeTask(): Promise<unknown> {
    switch (what) {
      case 'expire':
        return fixture.pass(11_000);
      case 'reschedule':
        return fixture.ask({ kind: 'update-task', caller, taskId, input: { scheduledAt, location: undefined } });
      case 'restart':
        return undefined;
      default: {
        const status =
          what === 'cancel' ? 'cancelled' : (['accepted', 'in_transit', 'completed'] as const)[weight % 3]!;
        return fixture.ask({ kind: 'change-task-status', caller, taskId, input: { status } });
      }
    }
  }
}

interface Row {
  readonly id: number;
  readonly status: TaskStatus;
  readonly agentId: number | null;
  readonly from: number | null;
  readonly until: number | null;
  readonly weight: number;
  readonly packages: number;
  readonly auto: string;
  readonly search: { readonly open: readonly { readonly id: number }[]; readonly startsAt: string | null } | null;
  readonly deadline: string | null;
  readonly sought: boolean;
  readonly open: readonly number[];
}

async function assertSound(): Promise<void> {
  const { organizationId } = fixture.organization;
  const rows = await withSql(fixture.databaseUrl, async (sql) => [
    ...(await sql<Row[]>`
        SELECT t.id, t.status, t.agent_id, t.auto_assignment_status AS auto, t.search, t.deadline_at AS deadline,
          extract(epoch FROM t.scheduled_at)::float8 AS from,
          extract(epoch FROM t.scheduled_at)::float8 + coalesce(t.estimated_duration, 60) * 60 AS until,
          coalesce((SELECT sum(weight * quantity) FROM packages p WHERE p.organization_id = t.organization_id
            AND p.task_id = t.id AND p.status NOT IN ('cancelled', 'returned', 'lost')), 0)::float8 AS weight,
          (SELECT count(*)::int FROM packages p WHERE p.organization_id = t.organization_id AND p.task_id = t.id) AS packages,
          EXISTS (SELECT FROM searching_tasks s WHERE s.organization_id = t.organization_id AND s.task_id = t.id) AS sought,
          coalesce((SELECT json_agg(r.id ORDER BY r.id) FROM assignment_requests r
            WHERE r.organization_id = t.organization_id AND r.task_id = t.id AND r.status = 'pending'), '[]'::json) AS open
        FROM tasks t WHERE t.organization_id = ${organizationId}`),
  ]);
  for (const agentId of agents) assertFits(rows.filter((row) => row.agentId === agentId && !isTerminal(row.status)));
  for (const row of rows) assertSearch(row);
  const { next, earliest } = await fixture.deadlines();
  assert.ok(earliest === null || (next !== null && next <= earliest), `woken at ${next}, and ${earliest} is due`);
}

function assertFits(held: readonly Row[]): void {
  const scheduled = held.filter(({ from }) => from !== null).sort((a, b) => a.from! - b.from!);
  for (const [index, row] of scheduled.entries()) {
    const next = scheduled[index + 1];
    assert.ok(!next || row.until! <= next.from!, `tasks ${row.id} and ${next?.id} have one agent at one time`);
  }
  const weight = held.reduce((sum, row) => sum + row.weight, 0);
  assert.ok(weight <= CAPACITY.maxWeightKg + 1e-6, `${weight} kg on one bike`);
  assert.ok(held.reduce((sum, row) => sum + row.packages, 0) <= CAPACITY.maxPackages, 'too many packages on one bike');
}

/** A search, its requests and its timers say the same; nothing is looked for that nobody will look at again. */
function assertSearch({ id, status, auto, search, open, sought, deadline }: Row): void {
  const isUnderWay = ['pending', 'searching', 'offered'].includes(auto);
  assert.equal(search !== null, isUnderWay, `task ${id}: ${auto}`);
  assert.deepEqual(open, search?.open.map((request) => request.id) ?? [], `open requests of task ${id}`);
  assert.equal(auto === 'offered', open.length > 0, `task ${id}: ${auto} with ${open.length} requests`);
  assert.equal(sought, search !== null && search.startsAt === null && open.length === 0, `task ${id} is sought`);
  if (search) assert.ok(deadline, `task ${id} has a search and no timer`);
  if (search)
    assert.ok(['new', 'awaiting_assignment', 'assigned'].includes(status), `task ${id} in ${status} is looked for`);
}

test('for any mix of proposals, answers and changes, no agent has too much, or two tasks at one time', async () => {
  const seed = Number(process.env['SEED'] ?? 1);
  const bursts = fc.sample(fc.array(step, { minLength: 1, maxLength: 4 }), { seed, numRuns: BURSTS });
  try {
    for (const burst of bursts) {
      await Promise.all(burst.map(carryOut));
      if (burst.some(({ what }) => what === 'restart')) await fixture.restart();
      await assertSound();
    }
  } catch (error) {
    throw new Error(`SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
});
