import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller, Command } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ProviderReport } from '../../../schema/money/payment.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { assertMoneyAgrees } from './ledger/money-histories.ts';
import { openMoneyTenant, openMoneyWorld } from './ledger/money-place.ts';

/** The same each time; tests/slow/engine/ledger.test.ts draws another. */
const seed = Number(process.env['TEST_SEED'] ?? 1);

test('no money appears or vanishes, and books, payments, memory and a plain model agree after every step', async (t) => {
  t.diagnostic(`seed ${seed}: repeat with TEST_SEED=${seed}`);
  const made = await assertMoneyAgrees({
    seed,
    histories: 60,
    steps: 50,
    timeLimitMs: rounds(6_000),
    fewestOperations: 40,
  });
  assert.ok(made >= 40, `only ${made} operations were made`);
});

test('money that could not be paid out counts for the last attempt at its task, and for none that is too far to be found', async () => {
  const world = await openMoneyWorld();
  const { attemptFetches } = LIMITS;
  try {
    const tenant = await openMoneyTenant(world);
    const { organizationId } = tenant;
    const caller: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };
    const ask = async (command: Command) => {
      const answer = await world.engine.ask(organizationId, command);
      assert.ok(answer.ok, JSON.stringify(answer));
      return (JSON.parse(answer.data) as { id: number }).id;
    };
    const pay = (taskId: number) =>
      ask({ kind: 'pay-task', method: 'online', provider: 'test', caller, input: { taskId, amount: '5' } });
    const hear = (paymentId: number, report: ProviderReport) =>
      world.engine.ask(organizationId, { kind: 'settle-payment', caller, paymentId, report });
    const again = (taskId: number) => ask({ kind: 'reattempt-task', caller, taskId, input: {} });
    const fail = async (taskId: number, statuses: readonly ('accepted' | 'in_transit')[] = []) => {
      for (const status of statuses) await ask({ kind: 'change-task-status', caller, taskId, input: { status } });
      const input = { status: 'completed', outcome: 'failed', failureReason: 'nobody' } as const;
      await ask({ kind: 'change-task-status', caller, taskId, input });
    };

    const { tasks } = await tenant.read();
    const { id: first, agentId } = tasks.find((task) => task.status === 'in_transit' && task.agentId !== null)!;
    const paid = await pay(first);
    await hear(paid, { kind: 'checkout-made', providerReference: 'cs', page: 'https://pay.example/c' });
    await hear(paid, { kind: 'paid', providerReference: 'cs', amountMinor: 500, currency: 'USD' });
    await fail(first);
    await ask({ kind: 'refund-payment', caller, paymentId: paid, input: { reason: 'failed' } });
    const second = await again(first);
    await hear(paid, { kind: 'refunded', attempt: 1, refundReference: 're' });
    await ask({ kind: 'assign-task', caller, taskId: second, input: { agentId: agentId! } });
    await fail(second, ['accepted', 'in_transit']);
    const third = await again(second);
    const open = await pay(third);

    const seen = async () => {
      const now = await tenant.read();
      const counts = [first, second, third].map((id) => now.tasks.find((task) => task.id === id)!.paymentId);
      return [...counts, ...[paid, open].map((id) => now.payments.find((payment) => payment.id === id)!.status)];
    };
    /** The refund is lost when memory knows nothing yet: each record names the next one. */
    const lose = async (attempt: number) => {
      await tenant.retire();
      await hear(paid, { kind: 'refund-failed', attempt, reason: 'closed' });
    };
    assert.deepEqual(await seen(), [paid, paid, open, 'refunded', 'pending']);
    Object.assign(LIMITS, { attemptFetches: 3 });
    await lose(1);
    assert.deepEqual(await seen(), [paid, paid, open, 'succeeded', 'pending']);
    Object.assign(LIMITS, { attemptFetches });
    await ask({ kind: 'refund-payment', caller, paymentId: paid, input: { reason: 'once more' } });
    await hear(paid, { kind: 'refunded', attempt: 2, refundReference: 're_2' });
    await lose(2);
    assert.deepEqual(await seen(), [paid, paid, paid, 'succeeded', 'failed']);
  } finally {
    Object.assign(LIMITS, { attemptFetches });
    await world.stop();
  }
});
