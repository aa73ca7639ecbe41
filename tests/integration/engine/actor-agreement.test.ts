import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'valibot';
import { type Engine, startEngine } from '../../../engine/org/start-engine.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createReleaser, type Releaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { encodeTask } from '../../../engine/views/task-view.ts';
import type { Answer, Caller } from '../../../schema/commands.ts';
import { createTaskSchema } from '../../../schema/create-task.ts';
import { type SeededOrganization, seedOrganization } from '../../support/seed.ts';
import { createMigratedDatabase } from '../../support/stores.ts';

/** One step of a random history; tasks and customers are named by small numbers so that steps meet. */
type Step =
  | { readonly kind: 'create'; readonly phone: number; readonly code: number | null; readonly withEmail: boolean }
  | { readonly kind: 'cancel'; readonly task: number }
  | { readonly kind: 'read'; readonly task: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      phone: fc.nat(3),
      code: fc.option(fc.nat(4)),
      withEmail: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), task: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('read' as const), task: fc.nat(12) }) },
);
/** Steps that are sent together, then waited for. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });

const schema = createTaskSchema(() => Date.now());
let database: Awaited<ReturnType<typeof createMigratedDatabase>>;

before(async () => {
  database = await createMigratedDatabase();
});
after(() => database.drop());

async function openEngine(gatewayId: string): Promise<{ engine: Engine; releaser: Releaser }> {
  const releaser = createReleaser((name, error) => assert.fail(`${name}: ${String(error)}`));
  const engine = await startEngine({
    databaseUrl: database.url,
    gatewayId,
    address: 'test',
    leaseMs: 10_000,
    allowVolatilePostgres: false,
    faultPoint: undefined,
    clock: systemClock,
    scheduler: systemScheduler,
    random: createRandomSource(),
    log: createLog('test', 'silent'),
    releaser,
  });
  return { engine, releaser };
}

/** What ought to be: which codes are taken, and which tasks stand in which status. */
class Model {
  readonly statuses = new Map<number, 'new' | 'cancelled'>();
  readonly codes = new Set<string>();
  readonly phones = new Set<number>();
  readonly ids: number[] = [];
}

async function perform(
  engine: Engine,
  { organizationId, channelId }: SeededOrganization,
  model: Model,
  steps: readonly Step[],
) {
  const caller: Caller = { type: 'channel', id: channelId, channelId };
  const answers = await Promise.all(
    steps.map((next): Promise<Answer> => {
      if (next.kind === 'create') {
        const input = parse(schema, {
          name: 'A task',
          taskType: 'delivery',
          customer: {
            name: 'Ada Lovelace',
            phone: `+44207946095${next.phone}`,
            email: next.withEmail ? `c${next.phone}@example.com` : null,
          },
          location: { address: '1 Main Street', latitude: 51.5, longitude: -0.1 },
          packages: [{ name: 'Box', weight: 1.5 }],
          code: next.code === null ? null : `C-${next.code}`,
        });
        return engine.ask(organizationId, { kind: 'create-task', caller, input });
      }
      const taskId = model.ids[next.task] ?? 999_999;
      if (next.kind === 'read') return engine.ask(organizationId, { kind: 'read-task', caller, taskId });
      return engine.ask(organizationId, { kind: 'change-task-status', caller, taskId, input: { status: 'cancelled' } });
    }),
  );
  // Steps of one burst may be decided in any order, but each answer must fit one that the model allows.
  for (const [index, answer] of answers.entries()) judge(model, steps[index]!, answer, steps);
}

function judge(model: Model, next: Step, answer: Answer, burst: readonly Step[]): void {
  if (next.kind === 'create') {
    const code = next.code === null ? undefined : `C-${next.code}`;
    if (!answer.ok) {
      assert.equal(answer.refusal.code, 'TASK_CODE_TAKEN');
      const rivals = burst.filter((other) => other.kind === 'create' && other.code === next.code).length;
      assert.ok(code && (model.codes.has(code) || rivals > 1));
      return;
    }
    const { id } = JSON.parse(answer.data) as { id: number };
    assert.ok(!model.statuses.has(id), 'an id was given twice');
    if (code) assert.ok(!model.codes.has(code), 'a code was given twice');
    if (code) model.codes.add(code);
    model.phones.add(next.phone);
    model.statuses.set(id, 'new');
    model.ids.push(id);
  } else if (next.kind === 'cancel') {
    const id = model.ids[next.task];
    if (answer.ok) {
      assert.equal(model.statuses.get(id!), 'new');
      model.statuses.set(id!, 'cancelled');
    } else {
      const expected = id === undefined || !model.statuses.has(id) ? 'NOT_FOUND' : 'INVALID_STATUS_TRANSITION';
      if (answer.refusal.code !== 'NOT_FOUND') assert.equal(answer.refusal.code, expected);
    }
  }
}

/** Every task of the organization as its actor answers it. */
async function readAll(engine: Engine, { organizationId, channelId }: SeededOrganization, ids: readonly number[]) {
  const caller: Caller = { type: 'channel', id: channelId, channelId };
  const answers = await Promise.all(
    ids.map((taskId) => engine.ask(organizationId, { kind: 'read-task', caller, taskId })),
  );
  return answers.map((answer) => (answer.ok ? answer.data : answer.refusal.code));
}

test('memory, lists and a rebuilt actor agree byte for byte after any history of commands', {
  timeout: 60_000,
}, async () => {
  const writer = await openEngine('writer');
  const seeds: { seed: SeededOrganization; model: Model; fromMemory: string[] }[] = [];
  try {
    await fc.assert(
      fc.asyncProperty(history, async (bursts) => {
        const seed = await seedOrganization(database.url);
        const model = new Model();
        for (const burst of bursts) await perform(writer.engine, seed, model, burst);
        const fromMemory = await readAll(writer.engine, seed, model.ids);
        const query = { page: 1, limit: 100, sortBy: 'createdAt', sortOrder: 'ASC' } as const;
        const { items, count } = await writer.engine.listTasks(seed.organizationId, query);
        const fromSql = new Map(items.map((bundle) => [bundle.task.id, encodeTask(bundle)]));
        assert.equal(count, model.ids.length);
        assert.deepEqual(
          fromMemory,
          model.ids.map((id) => fromSql.get(id)),
        );
        for (const { task } of items) assert.equal(task.status, model.statuses.get(task.id));
        assert.equal(new Set(items.map(({ customer }) => customer?.id)).size, model.phones.size);
        seeds.push({ seed, model, fromMemory });
      }),
      { numRuns: 25 },
    );
  } finally {
    await writer.releaser.stop();
  }
  const reader = await openEngine('reader');
  try {
    for (const { seed, model, fromMemory } of seeds)
      assert.deepEqual(await readAll(reader.engine, seed, model.ids), fromMemory);
  } finally {
    await reader.releaser.stop();
  }
});
