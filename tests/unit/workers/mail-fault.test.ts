import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoAnswerError } from '../../../workers/notifications/mail-transport.ts';
import { faultOf } from '../../../workers/notifications/mailer.ts';

const REFUSED = Object.assign(new Error('550 5.1.1 <amina@example.com>: Recipient rejected'), {
  code: 'EENVELOPE',
  responseCode: 550,
  command: 'RCPT TO',
  response: '550 5.1.1 <amina@example.com>: Recipient rejected',
  rejected: ['amina@example.com'],
  rejectedErrors: [new Error('amina@example.com')],
});
const SHOWN = {
  message: '550 5.1.1 <a***@example.com>: Recipient rejected',
  code: 'EENVELOPE',
  responseCode: 550,
  command: 'RCPT TO',
};

test('the log says why a mail server refused a mail, and not the address of the user', () => {
  assert.deepEqual(faultOf(REFUSED), SHOWN);
});

test('the log says why the answer of a mail server did not come', () => {
  assert.deepEqual(faultOf(new NoAnswerError('no answer', { cause: REFUSED })), SHOWN);
});
