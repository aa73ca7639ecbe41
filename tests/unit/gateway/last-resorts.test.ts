import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import type { IncomingRequest } from '../../../gateway/http/port.ts';
import { correlationIdOf } from '../../../gateway/request/correlation.ts';
import { lastResorts } from '../../../gateway/request/last-resorts.ts';

const counted: string[] = [];
const access = { addressOf: () => '127.0.0.1', quotas: { drawAddress: () => ({ headers: [] }) } as never };
const random = createRandomSource();
const { refusal, onUnhandled } = lastResorts(random, createLog('test', 'silent'), access, {
  refused: (reason) => counted.push(reason),
});

for (const [method, reason, code] of [
  ['GET', 'deadline', 'UNAVAILABLE'],
  ['HEAD', 'deadline', 'UNAVAILABLE'],
  ['POST', 'deadline', 'OUTCOME_UNKNOWN'],
  ['PUT', 'deadline', 'OUTCOME_UNKNOWN'],
  ['PATCH', 'deadline', 'OUTCOME_UNKNOWN'],
  ['DELETE', 'deadline', 'OUTCOME_UNKNOWN'],
  ['POST', 'overload', 'OVERLOADED'],
  ['POST', 'bodyTooLarge', undefined],
] as const) {
  test(`a ${method} that ends by ${reason} gets ${code ?? 'no code'}`, () => {
    const request = { method, header: () => undefined } as unknown as IncomingRequest;
    const { body } = refusal(503, reason, request);
    assert.equal(counted.at(-1), reason);
    assert.equal((JSON.parse(`${body}`) as { code?: string }).code, code);
  });
}

test('they have the correlation id that the handler made for the request', () => {
  const request = { method: 'POST', path: '/', header: () => undefined } as unknown as IncomingRequest;
  const made = correlationIdOf(request, random);
  for (const { headers } of [refusal(503, 'deadline', request), onUnhandled(new Error('none answered'), request)])
    assert.equal(new Map(headers).get('X-Correlation-Id'), made);
});

test('two requests without an id have two', () => {
  const [one, other] = [{ header: () => undefined }, { header: () => undefined }] as unknown as IncomingRequest[];
  assert.notEqual(correlationIdOf(one!, random), correlationIdOf(other!, random));
});
