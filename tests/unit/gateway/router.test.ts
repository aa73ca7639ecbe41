import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { type ApiRoute, may } from '../../../gateway/route.ts';
import { canonicalPath, Router } from '../../../gateway/router.ts';

function route(method: ApiRoute['method'], path: string, options: Pick<ApiRoute, 'me' | 'bare'> = {}): ApiRoute {
  return {
    kind: 'api',
    method,
    path,
    ...options,
    guard: may('agents:read'),
    summary: '',
    success: { status: 200, data: v.any() },
    refusals: [],
    handle: () => assert.fail('nothing is handled here'),
  };
}

const router = new Router([
  route('GET', '/agents/:id', { me: true }),
  route('PUT', '/agents/:id/duty', { me: true, bare: true }),
  route('PATCH', '/agents/:id'),
  route('POST', '/agents/me/locations'),
  route('GET', '/tasks/:id'),
  route('POST', '/tasks/batch'),
]);

function found(method: string, path: string): string {
  const match = router.match(method, path);
  if (match.kind !== 'found') return match.kind === 'wrong-method' ? `405 ${match.allow}` : '404';
  return `${match.route.path} ${JSON.stringify(match.params)}`;
}

test('`me` takes the place of an id where a route says so, and then there is no id', () => {
  assert.equal(found('GET', '/api/v1/agents/7'), '/agents/:id {"id":"7"}');
  assert.equal(found('GET', '/api/v1/agents/me'), '/agents/:id {}');
  assert.equal(found('PUT', '/api/v1/agents/me/duty'), '/agents/:id/duty {}');
  assert.equal(found('PUT', '/agents/me/duty'), '/agents/:id/duty {}');
  assert.equal(found('POST', '/api/v1/agents/me/locations'), '/agents/me/locations {}');
});

test('elsewhere `me` is an id like any other, and a path that exists does not fall through', () => {
  assert.equal(found('GET', '/api/v1/tasks/me'), '/tasks/:id {"id":"me"}');
  assert.equal(found('PATCH', '/api/v1/agents/me'), '405 GET, HEAD');
  assert.equal(found('GET', '/api/v1/tasks/batch'), '405 POST');
  assert.equal(found('GET', '/agents/me'), '404');
  assert.equal(found('GET', '/api/v1/agents/'), '404');
});

test('the path in bodies and logs has no token in it', () => {
  const named = [
    ['/t/s3cret', ''],
    ['/t/s3cret/events', 'seen=x'],
    ['/tracking/tasks', 'taskId=1&token=s3cret'],
    ['/api/v1/tracking/tasks', 'token=s3cret&taskId=1'],
    ['/tracking/tasks', '%74oken=s3cret&taskId=1'],
    ['/tracking/tasks', 'taskId=1&%74%6F%6b%65%6E=s3cret'],
    ['/api/v1/tasks', 'limit=1'],
    ['/api/v1/tasks', 'search=50%25&%2574oken=x'],
  ].map(([path, query]) => canonicalPath(path!, query!));
  assert.deepEqual(named, [
    '/v1/t/***',
    '/v1/t/***/events?seen=x',
    '/v1/tracking/tasks?taskId=1&token=***',
    '/v1/tracking/tasks?token=***&taskId=1',
    '/v1/tracking/tasks?%74oken=***&taskId=1',
    '/v1/tracking/tasks?taskId=1&%74%6F%6b%65%6E=***',
    '/v1/tasks?limit=1',
    '/v1/tasks?search=50%25&%2574oken=x',
  ]);
});
