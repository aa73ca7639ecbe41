import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Caller } from '../../../schema/commands.ts';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { ShiftView } from '../../../schema/fleet/shift.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { acceptedTask, clientOfAgent, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();
const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const RANGE = { from: '2030-01-01T00:00:00.000Z', to: '2030-02-01T00:00:00.000Z' };
const day = (of: number, from: number, to: number) => ({
  startsAt: `2030-01-${`${of}`.padStart(2, '0')}T${`${from}`.padStart(2, '0')}:00:00.000Z`,
  endsAt: `2030-01-${`${of}`.padStart(2, '0')}T${`${to}`.padStart(2, '0')}:00:00.000Z`,
});
const WITH_BREAK = { ...day(2, 8, 16), breaks: [day(2, 12, 13)] };

interface ShiftList {
  readonly items: readonly ShiftView[];
  readonly count: number;
}
interface Told {
  readonly items: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
}

async function placeWithAgent() {
  const place = await dispatchersOf(fixture);
  const agent = await createAgent(place.api);
  const own = await clientOfAgent(fixture, place.organizationId, agent);
  const put = (body: unknown) => place.api.put<ShiftList>(`/agents/${agent.id}/shifts`, body as object);
  const list = async (query = '') => (await place.api.get<ShiftList>(`/agents/${agent.id}/shifts${query}`)).body.data;
  const told = async () => (await place.api.get<Told>('/events?limit=1000')).body.data.items;
  return { ...place, agent, own, put, list, told };
}

test('shifts replace those that start in the range, and agent and dispatcher read them', async () => {
  const { agent, own, put, list, told } = await placeWithAgent();
  const first = await put({ ...RANGE, shifts: [day(3, 22, 23), WITH_BREAK] });
  assert.deepEqual(
    [first.status, first.body.data.items],
    [200, [WITH_BREAK, { ...day(3, 22, 23), breaks: [] }]],
    first.text,
  );
  const { from, to } = { from: day(2, 8, 9).startsAt, to: day(3, 22, 23).startsAt };
  await put({ from, to, shifts: [day(2, 9, 10)] });
  const kept = [
    { ...day(2, 9, 10), breaks: [] },
    { ...day(3, 22, 23), breaks: [] },
  ];
  assert.deepEqual(await list(), { items: kept, count: 2 });
  assert.deepEqual(await list(`?from=${from}&to=${to}`), { items: kept.slice(0, 1), count: 1 });
  assert.deepEqual((await own.get('/agents/me/shifts')).body.data, { items: kept, count: 2 });
  assert.deepEqual((await own.get<{ shifts: unknown }>('/agents/me/schedule')).body.data.shifts, kept);
  const { offDutyAt, shift } = (await own.get<AgentView>('/agents/me')).body.data;
  assert.deepEqual([offDutyAt, shift], [null, null]);
  assert.equal((await own.put(`/agents/${agent.id}/shifts`, { ...RANGE, shifts: [] })).status, 403);
  const changes = (await told()).filter(({ type }) => type === 'agent.shifts_changed');
  assert.deepEqual(changes.map(({ data }) => [data['from'], data['to'], data['shifts']]).at(-1), [
    from,
    to,
    kept.slice(0, 1),
  ]);
});

test('an agent goes off duty when its shift ends, and is reminded of its open tasks', async () => {
  const { api, agent, own, put, told } = await placeWithAgent();
  const taskId = await acceptedTask(api, agent.id);
  const shift = { startsAt: inMinutes(-60), endsAt: inMinutes(1 / 20), breaks: [] };
  await put({ from: inMinutes(-90), to: inMinutes(60), shifts: [shift] });
  const during = (await own.get<AgentView>('/agents/me')).body.data;
  assert.deepEqual([during.offDutyAt, during.shift], [shift.endsAt, shift]);
  await until('the shift is over', async () => (await own.get<AgentView>('/agents/me')).body.data.offDutyAt === null);
  const { type, data } = (await told()).at(-1)!;
  assert.deepEqual([type, data['shift'], data['openTaskIds']], ['agent.shift_ended', shift, [taskId]]);
  assert.deepEqual(data['actor'], { type: 'system', id: null });
  assert.equal((data['agent'] as AgentView).offDutyAt, null);
});

test('an offer that comes off shift or in a break is left out, on duty or not', async () => {
  const { api, agent, organizationId, put } = await placeWithAgent();
  await api.put(`/agents/${agent.id}/duty`, { onDuty: true });
  const around = { startsAt: inMinutes(-60), endsAt: inMinutes(60) };
  const cases: readonly [shifts: readonly object[], count: number][] = [
    [[{ startsAt: inMinutes(10), endsAt: inMinutes(60) }], 0],
    [[{ ...around, breaks: [{ startsAt: inMinutes(-5), endsAt: inMinutes(5) }] }], 0],
    [[{ ...around, breaks: [{ startsAt: inMinutes(5), endsAt: inMinutes(10) }] }], 1],
    [[], 1],
  ];
  for (const [shifts, count] of cases) {
    const { status, text } = await put({ from: inMinutes(-90), to: inMinutes(90), shifts });
    assert.equal(status, 200, text);
    const { id: taskId } = await api.createTask({ autoAssign: true });
    const offers = [{ taskId, agentId: agent.id, score: 1, distanceM: 1, etaSeconds: 1 }];
    const answer = await fixture.gateway.ask(organizationId, {
      kind: 'propose-offers',
      caller: SYSTEM,
      offers,
      lacking: [],
    });
    assert.ok(answer.ok);
    const asked = await api.get<{ count: number }>(`/assignment-requests?taskId=${taskId}`);
    assert.equal(asked.body.data.count, count, JSON.stringify(shifts));
    await api.put(`/tasks/${taskId}/status`, { status: 'cancelled' });
  }
});

describe('shifts that cannot be', () => {
  const many = Array.from({ length: 101 }, (_, index) => day(1 + (index % 28), 1, 2));
  const CASES: readonly [what: string, body: object, message: readonly string[]][] = [
    ['a range that ends before it begins', { from: RANGE.to, to: RANGE.from, shifts: [] }, ['to must be after from']],
    ['an empty range', { from: RANGE.to, to: RANGE.to, shifts: [] }, ['to must be after from']],
    ['no shifts at all', RANGE, ['shifts is required']],
    ['a zone that does not exist', { ...RANGE, to: '2030-02-01T00:00:00+25:00', shifts: [] }, [`to ${ISO()}`]],
    [
      'no zone',
      { ...RANGE, shifts: [{ ...day(1, 1, 2), startsAt: '2030-01-01T01:00:00' }] },
      [`shifts.0.startsAt ${ISO()}`],
    ],
    [
      'a shift that ends before it begins',
      { ...RANGE, shifts: [day(1, 2, 1)] },
      ['shifts.0.endsAt must be after startsAt'],
    ],
    [
      'a shift that starts outside of the range',
      { ...RANGE, to: day(1, 12, 13).startsAt, shifts: [day(1, 1, 2), day(1, 12, 13)] },
      ['shifts.1.startsAt must be in the range from `from` to `to`'],
    ],
    ['shifts that overlap', { ...RANGE, shifts: [day(1, 4, 9), day(1, 1, 5)] }, ['shifts.0 must not overlap shifts.1']],
    [
      'a break outside of its shift',
      { ...RANGE, shifts: [{ ...day(1, 4, 9), breaks: [day(1, 3, 5), day(1, 8, 10)] }] },
      ['shifts.0.breaks.0 must be within its shift', 'shifts.0.breaks.1 must be within its shift'],
    ],
    [
      'breaks that overlap, and one that ends before it begins',
      { ...RANGE, shifts: [{ ...day(1, 1, 9), breaks: [day(1, 3, 5), day(1, 4, 6), day(1, 8, 7)] }] },
      ['shifts.0.breaks.2.endsAt must be after startsAt', 'shifts.0.breaks.1 must not overlap shifts.0.breaks.0'],
    ],
    ['more shifts than a call takes', { ...RANGE, shifts: many }, ['shifts must hold at most 100 items']],
    [
      'a shift that an earlier one reaches into',
      { ...RANGE, from: day(2, 10, 11).startsAt, shifts: [day(2, 15, 17)] },
      [`shifts.0 must not overlap the shift from ${WITH_BREAK.startsAt} to ${WITH_BREAK.endsAt}`],
    ],
  ];

  function ISO() {
    return 'must be an ISO 8601 date-time with a zone or offset';
  }

  test('each is refused by its field, and nothing changes', async () => {
    const { put, list, told } = await placeWithAgent();
    await put({ ...RANGE, shifts: [WITH_BREAK] });
    const before = [await list(), (await told()).length];
    for (const [what, body, message] of CASES) {
      const reply = await put(body);
      const { message: messages } = reply.body;
      assert.equal(reply.status, 400, what);
      if (what.startsWith('more')) assert.ok(messages?.includes(message[0]!));
      else assert.deepEqual(messages, message, what);
    }
    assert.deepEqual([await list(), (await told()).length], before);
  });
});
