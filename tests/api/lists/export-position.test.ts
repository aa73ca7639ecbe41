import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();
const ROUNDS = 4;

const linesOf = (text: string) => text.split('\n').slice(0, -1);
const sequenceOf = (position: string) => Number(position.split('-')[1]);

/** Creates tasks, changes and cancels them, without pause, until `isStopped`. */
async function write(api: ApiClient, isStopped: () => boolean): Promise<void> {
  for (let count = 0; !isStopped(); count += 1) {
    const { id } = await api.createTask({ name: `Round ${count}` });
    await api.patch(`/tasks/${id}`, { notes: `${count}` });
    if (count % 3 === 0) await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  }
}

test('an export beside writes goes on as a stream from its position, without a gap and without a double', async () => {
  const { api, key, organizationId } = await fixture.organization();
  let isStopped = false;
  const writing = Promise.all(Array.from({ length: 3 }, () => write(api, () => isStopped)));
  const exports: { readonly position: string; readonly tasks: Map<number, string> }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let made = 0; made < 20; made += 1) await api.createTask();
    const { status, headers, text } = await api.get('/tasks/export');
    assert.equal(status, 200);
    const tasks = linesOf(text).map((line) => [(JSON.parse(line) as TaskView).id, line] as const);
    exports.push({ position: String(headers['x-log-position']), tasks: new Map(tasks) });
  }
  isStopped = true;
  await writing;
  const whole = await api.get('/tasks/export');
  const end = sequenceOf(String(whole.headers['x-log-position']));
  const last = linesOf(whole.text).map((line) => [(JSON.parse(line) as TaskView).id, line] as const);
  for (const { position, tasks } of exports) {
    const from = sequenceOf(position);
    assert.ok(from < end, 'writes went on beside the export');
    const stream = await openEventStream(fixture.gateway.baseUrl, { key, organizationId, lastEventId: position });
    const events = await stream.take(end - from);
    stream.close();
    assert.deepEqual(
      events.map(({ data }) => data.sequence),
      Array.from({ length: end - from }, (_, index) => from + 1 + index),
    );
    for (const { event, data } of events) {
      const { task } = data.data;
      const known = tasks.get(task.id);
      // A change that the export holds does not come again, and each one that it lacks comes.
      assert.equal(known === undefined, event === 'task.created', `${event} of task ${task.id}`);
      assert.notEqual(known, JSON.stringify(task));
      tasks.set(task.id, JSON.stringify(task));
    }
    assert.deepEqual(new Map([...tasks].sort(([a], [b]) => a - b)), new Map(last.sort(([a], [b]) => a - b)));
  }
});

test('an export of nothing has a position, too', async () => {
  const { api } = await fixture.organization();
  await api.createTask();
  const { headers, text } = await api.get('/tasks/export?status=completed');
  assert.equal(text, '');
  assert.equal(headers['x-log-position'], (await api.list()).body.metadata.position);
});
