import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letterheadOf } from '../../../schema/accounts/letterhead.ts';

const NOBODY = { phone: null, email: null };

test('a letterhead takes its zone and its contact from the settings, each part on its own', () => {
  for (const [settings, timeZone, contact] of [
    [{}, 'UTC', NOBODY],
    [
      { timeZone: 'Europe/Berlin', contact: { email: 'a@b.example' } },
      'Europe/Berlin',
      { ...NOBODY, email: 'a@b.example' },
    ],
    [{ contact: { phone: '+4930901820', email: null } }, 'UTC', { ...NOBODY, phone: '+4930901820' }],
    [{ contact: { phone: '+4930901820 ext. 7' } }, 'UTC', { ...NOBODY, phone: '+4930901820 ext. 7' }],
    // Stored before these settings had a meaning.
    [{ timeZone: 'Mars', contact: 'ask Bob' }, 'UTC', NOBODY],
    [{ timeZone: 60, contact: { phone: 'none' } }, 'UTC', NOBODY],
  ] as const)
    assert.deepEqual(
      letterheadOf({ name: 'Acme', settings }),
      { name: 'Acme', timeZone, contact },
      JSON.stringify(settings),
    );
});
