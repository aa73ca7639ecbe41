import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usePayments } from '../../integration/payments/payment-place.ts';
import { startWorkersProcess } from '../../integration/workers/workers-place.ts';
import { until } from '../../support/until.ts';

/** Workers that are killed, as kill -9 does, at each passage of each step; others go on where they were. */

const place = usePayments('stripe');

const POINTS = ['before-provider-call', 'after-provider-call', 'after-provider-report'] as const;

/** Has workers die at the point, and others carry on until nothing but `left` is to be done. */
async function killedAt(point: string, isDone: () => Promise<boolean>, left: readonly string[] = []): Promise<void> {
  const doomed = await startWorkersProcess({ ...place.workerEnvironment, FAULT_POINT: `${point}:1` });
  await doomed.ended;
  assert.equal(await isDone(), point === 'after-provider-report', `killed ${point}`);
  const others = await startWorkersProcess(place.workerEnvironment);
  await until('others have carried on', async () => {
    const steps = (await place.steps()).map(({ step }) => step);
    return (await isDone()) && steps.join() === left.join();
  });
  await others.stop();
}

for (const point of POINTS) {
  test(`workers killed ${point}: one checkout, one payment, one refund, one checkout closed`, async () => {
    const { stripe } = place;
    const ofPayment = (id: number) =>
      [...stripe.sessions.values()].filter(({ metadata }) => metadata['paymentId'] === `${id}`);

    const { id } = await place.initialize();
    await killedAt(point, async () => (await place.stepOf(id)) === 'await_payment', ['await_payment']);
    assert.equal(ofPayment(id).length, 1);

    stripe.pay(ofPayment(id)[0]!.id);
    await place.hurry();
    await killedAt(point, async () => (await place.read(id)).status === 'succeeded');
    assert.deepEqual(await place.transfersOf(id), ['payment']);

    await place.api.post(`/payments/${id}/refund`, { reason: 'r' });
    await killedAt(point, async () => (await place.read(id)).status === 'refunded');
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund']);
    const refunds = [...stripe.refunds.values()].filter(({ metadata }) => metadata['paymentId'] === `${id}`);
    assert.equal(refunds.length, 1);

    const other = await place.initialize();
    await place.api.put(`/tasks/${other.taskId}/status`, { status: 'cancelled', reason: 'r' });
    await killedAt(point, async () => (await place.stepOf(other.id)) === null);
    assert.deepEqual(
      ofPayment(other.id).filter(({ status }) => status === 'open'),
      [],
    );
    assert.deepEqual(await place.transfersOf(other.id), []);
  });
}
