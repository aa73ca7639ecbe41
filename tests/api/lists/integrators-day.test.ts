import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, taskInput } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

/** A day of an integrator that keeps a copy of its tasks, over HTTP alone. */

const TASKS = 500;
const CHANGED = 60;
const fixture = useGateway();

const codeOf = (index: number) => `ORDER-${String(index).padStart(4, '0')}`;

interface Batch {
  readonly created: number;
}

/** Cancels every fourth of the tasks that change, and gives the others a note. */
async function changeSome(api: ApiClient, known: ReadonlyMap<string, TaskView>): Promise<void> {
  for (let index = 0; index < CHANGED; index += 1) {
    const { id } = known.get(codeOf(index * 7))!;
    if (index % 4 === 0) await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
    else await api.patch(`/tasks/${id}`, { notes: `change ${index}` });
  }
}

test('a day: create by batch, find by code, list what changed, follow the stream, and compare the export', async () => {
  const { api, key, organizationId } = await fixture.organization();
  const orders = Array.from({ length: TASKS }, (_, index) =>
    taskInput({
      code: codeOf(index),
      customer: { name: `Customer ${index}`, phone: `+4915112${String(100_000 + index)}` },
      packages: [{ name: 'box', barcode: `BOX-${index}` }],
      integrationData: { order: index },
    }),
  );
  const made = await api.post<Batch>('/tasks/batch', { tasks: orders });
  assert.equal(made.body.data.created, TASKS);

  const known = new Map<string, TaskView>();
  for (let from = 0; from < TASKS; from += 100) {
    const codes = Array.from({ length: 100 }, (_, index) => codeOf(from + index));
    const { items, count } = (await api.list(`code=${codes.join(',')}&limit=100`)).body.data;
    assert.equal(count, 100);
    for (const task of items) known.set(task.code, task);
  }
  assert.deepEqual([...known.keys()].sort(), orders.map(({ code }) => code).sort());
  for (let index = 0; index < TASKS; index += 5) {
    const { items, count } = (await api.list(`code=${codeOf(index)}`)).body.data;
    assert.deepEqual([count, items], [1, [known.get(codeOf(index))]]);
  }
  for (const search of ['BOX-499', 'customer+499', '%2B49 15112100499'.replace(' ', '+'), 'er-0499', 'rder-0499'])
    assert.deepEqual((await api.list(`search=${search}`)).body.data.items, [known.get(codeOf(499))], search);

  const { metadata } = (await api.list('limit=1')).body;
  const since = new Date(Date.parse(metadata.timestamp) + 1).toISOString();
  await until('the clock has moved on', async () => Date.now() > Date.parse(since));
  await changeSome(api, known);
  const changed = (await api.list(`updatedFrom=${since}&sortBy=updatedAt&sortOrder=ASC&limit=100`)).body.data;
  assert.deepEqual(
    changed.items.map(({ code }) => code),
    Array.from({ length: CHANGED }, (_, index) => codeOf(index * 7)),
  );
  assert.equal(changed.count, CHANGED);

  const stream = await openEventStream(fixture.gateway.baseUrl, {
    key,
    organizationId,
    lastEventId: metadata.position,
  });
  const events = await stream.take(CHANGED);
  stream.close();
  const [history, sequence] = metadata.position.split('-');
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, index) => `${history}-${Number(sequence) + 1 + index}`),
  );
  assert.deepEqual(
    events.map(({ data }) => data.data.task),
    changed.items,
  );
  for (const task of changed.items) known.set(task.code, task);

  const exported = await api.get('/tasks/export?sortOrder=ASC');
  assert.equal(exported.headers['x-log-position'], `${history}-${Number(sequence) + CHANGED}`);
  const lines = exported.text.split('\n').slice(0, -1);
  assert.equal(lines.length, TASKS);
  for (const line of lines) {
    const task = JSON.parse(line) as TaskView;
    assert.deepEqual(task, known.get(task.code));
    const { text } = await api.get(`/tasks/${task.id}`);
    assert.ok(text.includes(`"data":${line},"metadata":`), `task ${task.id} differs from its line`);
  }
});
