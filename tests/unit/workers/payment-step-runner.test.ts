import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paymentMark } from '../../../engine/domain/money/payment-mark.ts';
import type { PaymentProvider } from '../../../engine/providers/payment-provider.ts';
import type { Scheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { RedisAwayError } from '../../../engine/runtime/outage.ts';
import type { PaymentStep, PaymentStepStore } from '../../../engine/store/payments/payment-step-store.ts';
import type { Answer } from '../../../schema/commands.ts';
import { refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ProviderReport, ProviderStep } from '../../../schema/money/payment.ts';
import type { OwnerCommand } from '../../../schema/owner-command.ts';
import { PaymentStepRunner, pauseAfter } from '../../../workers/payments/payment-step-runner.ts';
import { PaymentWatch } from '../../../workers/payments/payment-watch.ts';

const DONE: Answer = { ok: true, status: 200, data: 'null', sequence: 1 };
const MADE: ProviderReport = { kind: 'checkout-made', providerReference: 'cs_1', page: '/page' };
const CLOSED: ProviderReport = { kind: 'not-paid', providerReference: 'cs_1', reason: 'expired' };

function stepOf(
  paymentId: number,
  step: ProviderStep = 'create_checkout',
  changes: Partial<PaymentStep> = {},
): PaymentStep {
  return {
    ...{
      organizationId: 7,
      paymentId,
      step,
      attempts: 1,
      amountMinor: 100,
      currency: 'EUR',
      reference: null,
      taskId: 3,
    },
    ...{ provider: 'test', providerReference: step === 'create_checkout' ? null : 'cs_1', checkoutToken: 'token' },
    refundAttempt: null,
    ...changes,
  };
}

const settle = async () => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

interface Stage {
  readonly provider?: Partial<PaymentProvider>;
  readonly answer?: Answer;
  /** Takes jobs in; undefined: there is no Redis. */
  readonly add?: (ids: readonly string[]) => Promise<void>;
}

/** A runner and a watch whose time the test moves, with a record of their actions. */
function runnerWith(due: PaymentStep[], { provider = {}, answer = DONE, add }: Stage = {}) {
  const said: string[] = [];
  const asked: OwnerCommand[] = [];
  const timers: { readonly ms: number; readonly task: () => void }[] = [];
  const timer = (ms: number, task: () => void) => {
    timers.push({ ms, task });
    return () => {};
  };
  const scheduler: Scheduler = { after: timer, every: timer, soon: (task) => task() };
  const store: PaymentStepStore = {
    enlist: async (which) => void said.push(`enlist ${which}`),
    findDue: async (passed) => {
      said.push(`find, but not of [${passed}]`);
      return due.filter(({ organizationId }) => !passed.includes(organizationId)).slice(0, LIMITS.paymentsPerPage);
    },
    lease: async ({ paymentId }) => {
      const at = due.findIndex((one) => one.paymentId === paymentId);
      return at < 0 ? undefined : due.splice(at, 1)[0];
    },
    renew: async (steps) => void said.push(`renew ${steps.length}`),
    settle: async ({ paymentId }) => {
      said.push(`settle ${paymentId}`);
      return true;
    },
    postpone: async ({ paymentId }, pauseMs, error) => void said.push(`postpone ${paymentId} ${pauseMs} ${error}`),
  };
  const whole = { name: 'test', makeCheckout: async () => MADE, closeCheckout: async () => CLOSED, ...provider };
  const warned: unknown[] = [];
  const log = Object.assign(createLog('workers', 'silent'), { warn: (about: unknown) => void warned.push(about) });
  const runner = new PaymentStepRunner({
    store,
    providers: { test: whole as unknown as PaymentProvider },
    ask: async (_organizationId, command) => {
      asked.push(command);
      return answer;
    },
    publicUrl: 'https://dispatch.example',
    fault: () => {},
    scheduler,
    draw: () => 0.5,
    onFreed: () => watch.look(),
    log,
  });
  const watch = new PaymentWatch({ store, runner, scheduler, log });
  if (add) watch.follow({ add: (_name, jobs) => add(jobs.map(({ id }) => id)) });
  /** Runs every timer and interval now. */
  const pass = async (ms: number) => {
    for (const { task } of timers.filter((one) => one.ms === ms)) task();
    await settle();
  };
  return { runner, watch, said, asked, warned, due, pass };
}

test('every attempt sends the provider the same request', async () => {
  const payments: unknown[] = [];
  const makeCheckout = async (payment: unknown) => {
    payments.push(payment);
    return MADE;
  };
  for (const attempts of [1, 9])
    runnerWith([stepOf(1, 'create_checkout', { attempts })], { provider: { makeCheckout } });
  await settle();
  assert.equal(payments.length, 2);
  assert.deepEqual(payments[0], payments[1]);
  assert.deepEqual(payments[0], {
    ...{
      organizationId: 7,
      paymentId: 1,
      mark: paymentMark('token'),
      amountMinor: 100,
      currency: 'EUR',
      description: 'Task 3',
    },
    returnUrl: 'https://dispatch.example/api/v1/payments/checkout/7.1.token?returned=1',
  });
});

test('a payment whose reference shows nothing is described by its task', async () => {
  const texts: string[] = [];
  const makeCheckout: PaymentProvider['makeCheckout'] = async ({ description }) => {
    texts.push(description);
    return MADE;
  };
  for (const reference of ['Order 17', '', ' \u200b'])
    runnerWith([stepOf(1, 'create_checkout', { reference })], { provider: { makeCheckout } });
  await settle();
  assert.deepEqual(texts, ['Order 17', 'Task 3', 'Task 3']);
});

test('a report that the owner has not accepted is sent again later', async () => {
  const { said } = runnerWith([stepOf(1)], { answer: { ok: false, refusal: refusal('OUTCOME_UNKNOWN') } });
  await settle();
  assert.ok(
    said.some((each) => /^postpone 1 1000 .*OUTCOME_UNKNOWN$/.test(each)),
    said.join(),
  );
  assert.ok(!said.includes('settle 1'));
});

test('a payment that went with its organization is forgotten', async () => {
  const { said } = runnerWith([stepOf(1)], { answer: { ok: false, refusal: refusal('ORGANIZATION_DELETED') } });
  await settle();
  assert.ok(said.includes('settle 1'));
});

test('money that a look finds for a payment that went with its organization is logged', async () => {
  const paid = { kind: 'paid', providerReference: 'cs_1', amountMinor: 100, currency: 'EUR' } as const;
  const { said, warned } = runnerWith([stepOf(1, 'await_payment')], {
    provider: { findOutcome: async () => paid },
    answer: { ok: false, refusal: refusal('ORGANIZATION_DELETED') },
  });
  await settle();
  assert.ok(said.includes('settle 1'));
  assert.deepEqual(warned, [{ organizationId: 7, paymentId: 1, report: paid }]);
});

test('a look that finds nothing new is taken again later, without an error', async () => {
  const { said, asked } = runnerWith([stepOf(1, 'await_payment')], {
    provider: { findOutcome: async () => undefined },
  });
  await settle();
  assert.ok(said.includes(`postpone 1 ${LIMITS.paymentLookMs} null`), said.join());
  assert.deepEqual(asked, []);
});

test('a payment of a provider without settings waits for them', async () => {
  const { said } = runnerWith([stepOf(1, 'create_checkout', { provider: 'stripe' })]);
  await settle();
  assert.ok(
    said.some((each) => /^postpone 1 1000 there are no settings/.test(each)),
    said.join(),
  );
});

test('a checkout that is to be closed and of which nobody has heard is made first, as that tells which it is', async () => {
  const { asked } = runnerWith([stepOf(1, 'cancel_checkout', { providerReference: null })]);
  await settle();
  assert.deepEqual(asked, [{ kind: 'settle-payment', paymentId: 1, report: CLOSED }]);
});

/** Steps of as many organizations, one each unless `each` says more. */
function stepsOf(organizations: number, each = 1): PaymentStep[] {
  return Array.from({ length: organizations * each }, (_, index) =>
    stepOf(index + 1, 'create_checkout', { organizationId: 1 + Math.floor(index / each) }),
  );
}

/** A provider that answers when it is let. */
function hangingProvider() {
  const hanging: (() => void)[] = [];
  const makeCheckout = () => new Promise<ProviderReport>((resolve) => hanging.push(() => resolve(MADE)));
  return { hanging, provider: { makeCheckout } };
}

test('no more steps are under way than there are lanes, and those that hang are put off again', async () => {
  const { hanging, provider } = hangingProvider();
  const { said, pass, runner, due } = runnerWith(stepsOf(LIMITS.paymentStepsAtOnce + 5), { provider });
  await settle();
  assert.equal(hanging.length, LIMITS.paymentStepsAtOnce);
  assert.equal(due.length, 5);
  await pass(LIMITS.paymentLeaseMs / 3);
  assert.ok(said.includes(`renew ${LIMITS.paymentStepsAtOnce}`), said.join());
  hanging.shift()!();
  await settle();
  await pass(LIMITS.paymentPauseMs);
  assert.equal(due.length, 4);
  for (const done of hanging) done();
  await runner.stop();
});

test('a step that has ended, well or not, is put off no more', async () => {
  for (const provider of [{}, { makeCheckout: () => Promise.reject(new Error('no answer')) }]) {
    const { said, pass } = runnerWith([stepOf(1)], { provider });
    await settle();
    await pass(LIMITS.paymentLeaseMs / 3);
    assert.ok(!said.some((each) => each.startsWith('renew')), said.join());
  }
});

test('an organization whose steps hang leaves room for the others', async () => {
  const { hanging, provider } = hangingProvider();
  const bound = LIMITS.paymentStepsPerOrganization;
  const steps = [...stepsOf(1, bound + 3), stepOf(99, 'create_checkout', { organizationId: 2 })];
  const { runner, due, said, pass } = runnerWith(steps, { provider });
  await settle();
  assert.equal(hanging.length, bound + 1);
  assert.equal(due.length, 3);
  said.length = 0;
  await pass(LIMITS.paymentPauseMs);
  await pass(LIMITS.paymentSweepMs);
  assert.ok(said.includes('find, but not of [1]'), said.join());
  hanging.shift()!();
  await settle();
  await pass(LIMITS.paymentPauseMs);
  assert.equal(due.length, 2);
  for (const done of hanging) done();
  await runner.stop();
});

test('every due try of a step becomes a job, and the runner waits for jobs', async () => {
  const added: string[] = [];
  const add = async (ids: readonly string[]) => void added.push(...ids);
  const { runner, due, pass, asked } = runnerWith([], { add });
  await settle();
  due.push(stepOf(1), stepOf(2, 'refund', { attempts: 4 }));
  await pass(LIMITS.paymentPauseMs);
  await pass(LIMITS.paymentSweepMs);
  assert.deepEqual(added.slice(0, 2), ['7-1-create_checkout-1', '7-2-refund-4']);
  assert.deepEqual(asked, []);
  await runner.serve({ organizationId: 7, paymentId: 1, step: 'create_checkout' }, new AbortController().signal);
  assert.equal(asked.length, 1);
  await runner.serve({ organizationId: 7, paymentId: 1, step: 'create_checkout' }, new AbortController().signal);
  assert.equal(asked.length, 1, 'a job too many finds nothing due');
});

test('a look goes on from page to page until all that is due has become jobs', async () => {
  const added: string[] = [];
  const { due, pass } = runnerWith([], { add: async (ids) => void added.push(...ids) });
  await settle();
  await pass(LIMITS.paymentPauseMs);
  due.push(...stepsOf(LIMITS.paymentsPerPage + 1));
  await pass(LIMITS.paymentSweepMs);
  assert.equal(added.length, due.length);
});

for (const [what, add] of [
  ['is away', () => Promise.reject(new RedisAwayError('away'))],
  ['fails', () => Promise.reject(new Error('OOM command not allowed'))],
] as const) {
  test(`while Redis ${what}, the process that finds a step carries it out`, async () => {
    const { asked, pass, due } = runnerWith([], { add });
    await settle();
    await pass(LIMITS.paymentPauseMs);
    due.push(stepOf(1));
    await pass(LIMITS.paymentSweepMs);
    assert.equal(asked.length, 1);
  });
}

test('a process compares all payments by itself as long as jobs cannot be added, and no longer', async () => {
  const { said, pass, watch, due } = runnerWith([]);
  await settle();
  const comparisons = () => said.filter((each) => each === 'enlist all').length;
  assert.equal(comparisons(), 1);
  await pass(LIMITS.paymentReconciliationMs);
  assert.equal(comparisons(), 2);
  watch.follow({ add: async () => {} });
  due.push(stepOf(1));
  await pass(LIMITS.paymentPauseMs);
  await pass(LIMITS.paymentSweepMs);
  await pass(LIMITS.paymentReconciliationMs);
  assert.equal(comparisons(), 2);
});

test('a burst of hints is one look at once and one afterwards', async () => {
  const { watch, said, pass } = runnerWith([]);
  await settle();
  await pass(LIMITS.paymentPauseMs);
  said.length = 0;
  for (let i = 0; i < 1_000; i += 1) watch.look();
  await settle();
  assert.deepEqual(said, ['enlist urgent', 'find, but not of []']);
  await pass(LIMITS.paymentPauseMs);
  assert.equal(said.filter((each) => each === 'enlist urgent').length, 2);
});

test('a runner that has stopped takes nothing on', async () => {
  const { runner, watch, said, due, pass, asked } = runnerWith([]);
  await settle();
  await pass(LIMITS.paymentPauseMs);
  await watch.stop();
  await runner.stop();
  said.length = 0;
  due.push(stepOf(1));
  watch.look();
  await runner.serve(stepOf(1));
  await settle();
  assert.deepEqual([said, asked], [[], []]);
});

test('a job whose step hangs ends when the workers stop waiting for it', async () => {
  const { hanging, provider } = hangingProvider();
  const { runner, due } = runnerWith([], { provider, add: async () => {} });
  await settle();
  due.push(stepOf(1));
  const stopping = new AbortController();
  const job = runner.serve(stepOf(1), stopping.signal);
  await settle();
  stopping.abort();
  hanging.shift()!();
  await job;
  due.push(stepOf(2));
  await runner.serve(stepOf(2), new AbortController().signal);
  assert.equal(hanging.length, 0);
});

test('pauses double from the first to the longest, which is an hour', () => {
  const pauses = (step: ProviderStep) => [1, 2, 3, 4, 30].map((attempts) => pauseAfter({ step, attempts }, 0.5));
  assert.deepEqual(pauses('refund'), [1_000, 2_000, 4_000, 8_000, 3_600_000]);
  assert.deepEqual(pauses('await_refund'), [60_000, 120_000, 240_000, 480_000, 3_600_000]);
  assert.equal(pauseAfter({ step: 'refund', attempts: 1 }, 0), 750);
  assert.ok(pauseAfter({ step: 'refund', attempts: 1 }, 0.999) < 1_250);
});
