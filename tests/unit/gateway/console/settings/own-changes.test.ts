import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownChanges, rebased } from '../../../../../gateway/console/settings/own-changes.ts';

const began = { name: 'Harbour', timeZone: 'UTC', phone: '' };

test('a save names only the fields that differ from the beginning', () => {
  assert.deepEqual(ownChanges({ ...began, phone: '+442079460001' }, began), { phone: '+442079460001' });
  assert.deepEqual(ownChanges({ ...began, name: '' }, began), { name: '' });
  assert.deepEqual(ownChanges({ ...began }, began), {});
});

test('a form on what another person saved keeps its own changes and shows theirs', () => {
  const form = { ...began, phone: '+442079460001' };
  const theirs = { name: 'Harbour', timeZone: 'Europe/Berlin', phone: '+442079460002' };
  assert.deepEqual(rebased(form, began, theirs), { ...theirs, phone: '+442079460001' });
});
