import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentProvider } from '../../../engine/providers/payment-provider.ts';
import type { Scheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { PaymentStep, PaymentStepStore } from '../../../engine/store/payment-step-store.ts';
import type { Answer } from '../../../schema/commands.ts';
import { refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { OwnerCommand } from '../../../schema/owner-command.ts';
import type { ProviderReport, ProviderStep } from '../../../schema/payment.ts';
import { PaymentDesk, pauseAfter } from '../../../workers/payments/payment-desk.ts';

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

/** A desk whose time the test turns by hand, and whatever it does, noted. */
function deskWith(
  due: PaymentStep[],
  { provider = {}, answer = DONE }: { provider?: Partial<PaymentProvider>; answer?: Answer } = {},
) {
  const said: string[] = [];
  const asked: OwnerCommand[] = [];
  const timers: { readonly ms: number; readonly task: () => void }[] = [];
  const scheduler: Scheduler = {
    after: (ms, task) => {
      timers.push({ ms, task });
      return () => {};
    },
    every: (ms, task) => {
      timers.push({ ms, task });
      return () => {};
    },
    soon: (task) => task(),
  };
  const store: PaymentStepStore = {
    enlist: async (which) => void said.push(`enlist ${which}`),
    lease: async (most) => {
      said.push(`lease ${most}`);
      return due.splice(0, most);
    },
    renew: async (steps) => void said.push(`renew ${steps.length}`),
    settle: async ({ paymentId }) => {
      said.push(`settle ${paymentId}`);
      return true;
    },
    postpone: async ({ paymentId }, pauseMs, error) => void said.push(`postpone ${paymentId} ${pauseMs} ${error}`),
  };
  const whole = { name: 'test', makeCheckout: async () => MADE, closeCheckout: async () => CLOSED, ...provider };
  const desk = new PaymentDesk({
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
    log: createLog('workers', 'silent'),
  });
  /** Whatever was to happen after or every so many milliseconds happens now. */
  const pass = async (ms: number) => {
    for (const { task } of timers.filter((timer) => timer.ms === ms)) task();
    await settle();
  };
  return { desk, said, asked, due, pass };
}

test('a step is carried out, told to the owner and settled', async () => {
  const { asked, said } = deskWith([stepOf(1)]);
  await settle();
  assert.deepEqual(asked, [{ kind: 'settle-payment', paymentId: 1, report: MADE }]);
  assert.ok(said.includes('settle 1'));
  assert.ok(!said.some((each) => each.startsWith('postpone')));
});

test('what the provider is asked is the same at each attempt', async () => {
  const payments: unknown[] = [];
  const makeCheckout = async (payment: unknown) => {
    payments.push(payment);
    return MADE;
  };
  deskWith([stepOf(1), stepOf(1, 'create_checkout', { attempts: 9 })], { provider: { makeCheckout } });
  await settle();
  assert.equal(payments.length, 2);
  assert.deepEqual(payments[0], payments[1]);
  assert.deepEqual(payments[0], {
    ...{ organizationId: 7, paymentId: 1, amountMinor: 100, currency: 'EUR', description: 'Task 3' },
    returnUrl: 'https://dispatch.example/api/v1/payments/checkout/7.1.token?returned=1',
  });
});

test('a provider that fails is asked again later, and the step says why', async () => {
  const makeCheckout = () => Promise.reject(new Error('no answer'));
  const { said, asked } = deskWith([stepOf(1, 'create_checkout', { attempts: 3 })], { provider: { makeCheckout } });
  await settle();
  assert.ok(said.includes('postpone 1 4000 no answer'), said.join());
  assert.deepEqual(asked, []);
});

test('a report that the owner has not taken is told again later', async () => {
  const { said } = deskWith([stepOf(1)], { answer: { ok: false, refusal: refusal('OUTCOME_UNKNOWN') } });
  await settle();
  assert.ok(
    said.some((each) => /^postpone 1 1000 .*OUTCOME_UNKNOWN$/.test(each)),
    said.join(),
  );
  assert.ok(!said.includes('settle 1'));
});

test('a payment that went with its organization is forgotten', async () => {
  const { said } = deskWith([stepOf(1)], { answer: { ok: false, refusal: refusal('ORGANIZATION_DELETED') } });
  await settle();
  assert.ok(said.includes('settle 1'));
});

test('a look that finds nothing new is taken again later, without an error', async () => {
  const { said, asked } = deskWith([stepOf(1, 'await_payment')], { provider: { findOutcome: async () => undefined } });
  await settle();
  assert.ok(said.includes(`postpone 1 ${LIMITS.paymentLookMs} null`), said.join());
  assert.deepEqual(asked, []);
});

test('a payment of a provider without settings waits for them', async () => {
  const { said } = deskWith([stepOf(1, 'create_checkout', { provider: 'stripe' })]);
  await settle();
  assert.ok(
    said.some((each) => /^postpone 1 1000 there are no settings/.test(each)),
    said.join(),
  );
});

test('a checkout that is to be closed and of which nobody has heard is made first, as that tells which it is', async () => {
  const { asked } = deskWith([stepOf(1, 'cancel_checkout', { providerReference: null })]);
  await settle();
  assert.deepEqual(asked, [{ kind: 'settle-payment', paymentId: 1, report: CLOSED }]);
});

test('no more steps are under way than there are places, and those that hang are put off again', async () => {
  const due = Array.from({ length: LIMITS.paymentStepsAtOnce + 5 }, (_, index) => stepOf(index + 1));
  const hanging: (() => void)[] = [];
  const makeCheckout = () => new Promise<ProviderReport>((resolve) => hanging.push(() => resolve(MADE)));
  const { said, pass, desk } = deskWith(due, { provider: { makeCheckout } });
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
  await desk.stop();
});

test('a burst of hints is one look at once and one afterwards', async () => {
  const { desk, said, pass } = deskWith([]);
  await settle();
  await pass(LIMITS.paymentPauseMs);
  said.length = 0;
  for (let i = 0; i < 1_000; i += 1) desk.hint();
  await settle();
  assert.deepEqual(said, ['enlist urgent', `lease ${LIMITS.paymentStepsAtOnce}`]);
  await pass(LIMITS.paymentPauseMs);
  assert.equal(said.filter((each) => each === 'enlist urgent').length, 2);
});

test('a desk that has stopped takes nothing on', async () => {
  const { desk, said, due, pass } = deskWith([]);
  await settle();
  await pass(LIMITS.paymentPauseMs);
  await desk.stop();
  said.length = 0;
  due.push(stepOf(1));
  desk.hint();
  await settle();
  assert.deepEqual(said, []);
});

test('pauses double from the first to the longest, which is an hour', () => {
  const pauses = (step: ProviderStep) => [1, 2, 3, 4, 30].map((attempts) => pauseAfter({ step, attempts }, 0.5));
  assert.deepEqual(pauses('refund'), [1_000, 2_000, 4_000, 8_000, 3_600_000]);
  assert.deepEqual(pauses('await_refund'), [60_000, 120_000, 240_000, 480_000, 3_600_000]);
  assert.equal(pauseAfter({ step: 'refund', attempts: 1 }, 0), 750);
  assert.ok(pauseAfter({ step: 'refund', attempts: 1 }, 0.999) < 1_250);
});
