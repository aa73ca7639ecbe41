import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payWallet } from '../../../bench/scenarios/pay-wallet.ts';

test('the connections of a run pay every task of its stretch, and none twice', () => {
  const first = 1_000_000_000;
  const paid = [0, 1, 2].flatMap((connection) => {
    const [request] = payWallet.requestsFor({ connection, connections: 3, seed: first });
    const [stamp] = request!.stamps;
    assert.match(request!.body!, /^\{"taskId":1000000000,/);
    assert.equal(stamp!.text, '1000000000');
    return [stamp!.next(), stamp!.next()];
  });
  assert.deepEqual(
    paid.map(Number).sort(),
    [0, 1, 2, 3, 4, 5].map((index) => first + index),
  );
});
