import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';
import { ERRORS, notFound, refusal } from '../../../schema/errors.ts';

test('every code is in upper snake case, with a status that HTTP knows and a message', () => {
  for (const [code, { status, message }] of Object.entries(ERRORS)) {
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    assert.ok(status >= 400 && STATUS_CODES[status], code);
    assert.match(message, /^[A-Z].*[^.]$/);
  }
});

test('a refusal has the message of its code unless it is given one, and details only when there are some', () => {
  assert.deepEqual(refusal('CONFLICT'), { code: 'CONFLICT', message: ERRORS.CONFLICT.message });
  assert.deepEqual(refusal('CONFLICT', 'other', { id: 1 }), { code: 'CONFLICT', message: 'other', details: { id: 1 } });
  assert.deepEqual(notFound('Task', 42), { code: 'NOT_FOUND', message: 'Task with ID 42 not found' });
});
