import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../../../gateway/request/parse-query.ts';
import type { Identity, Route } from '../../../gateway/route.ts';
import { listEventsQuery } from '../../../schema/events.ts';

const route = {
  kind: 'api',
  method: 'GET',
  path: '/events',
  query: { schema: listEventsQuery, lists: new Set(['types']) },
} as unknown as Route;

const typesOf = (raw: string): unknown => {
  const parsed = parseQuery(raw, route, { organizationId: 1 } as Identity, {});
  assert.ok('value' in parsed, JSON.stringify(parsed));
  return (parsed.value as { types?: readonly string[] }).types;
};

test('a list of commas alone counts as absent', () => {
  for (const raw of ['types=', 'types=,', 'types=,&types=%2C,', 'types=&types=,']) {
    assert.equal(typesOf(raw), undefined, raw);
  }
});

test('commas around the values of a list add none', () => {
  assert.deepEqual(typesOf('types=,task.created,&types=,&types=task.updated'), ['task.created', 'task.updated']);
});
