import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventId, formatPosition, idOfBody, parsePosition } from '../../../schema/events.ts';

test('a position reads back as it was written', () => {
  for (const place of [
    { history: 'a1b2', sequence: 0 },
    { history: 'x', sequence: Number.MAX_SAFE_INTEGER },
  ]) {
    assert.deepEqual(parsePosition(formatPosition(place.history, place.sequence)), place);
  }
});

test('anything else is no position', () => {
  for (const text of [
    '',
    '-',
    'a',
    'a-',
    '-1',
    'a--1',
    'a-1-2',
    'A-1',
    'a-1.5',
    'a-x',
    ' a-1',
    'a-1\n',
    `${'a'.repeat(33)}-1`,
    'a-12345678901234567',
  ]) {
    assert.equal(parsePosition(text), undefined, JSON.stringify(text));
  }
});

test('an event id differs by history, organization and sequence', () => {
  const ids = [
    eventId('h', 1, 1),
    eventId('h', 1, 2),
    eventId('h', 2, 1),
    eventId('g', 1, 1),
    eventId('h', 11, 1),
    eventId('h', 1, 11),
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^evt_[a-z0-9]+_[a-z0-9]+_[a-z0-9]+$/);
});

test('the id of a body is that of the event, not of a record in it', () => {
  assert.equal(idOfBody('{"id":"evt_h_1_1","type":"task.created","data":{"task":{"id":"7"}}}'), 'evt_h_1_1');
});
