import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMaintenanceStore } from '../../../engine/store/cluster/maintenance-store.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

/** The filters beside those of list-tasks.test.ts. */

let all: TaskView[];
const fixture = useGateway(
  { own: 'it lists the tasks of all organizations for searches', organization: { role: 'dispatcher' } },
  async ({ api, gateway }) => {
    const place = (latitude: number, longitude: number) => ({ address: 'Here', latitude, longitude });
    const [{ agentId }, job] = [
      await seedAgent(gateway.databaseUrl, gateway.organizationId),
      await api.createTask({
        code: 'JOB-1',
        children: [{ ...PART, code: 'PART-1' }, PART],
      }),
    ];
    assert.equal(job.children.length, 2);
    await api.createTask({ code: 'A-1', location: place(0, 0), packages: [{ name: 'box', barcode: 'EAN-4006381' }] });
    await api.createTask({ code: 'a-1', name: 'Straße 9', location: place(10, 179.5) });
    await api.createTask({
      code: 'A_1',
      name: '100 % wool',
      location: place(10, -179.5),
      windowEnd: '2031-01-01T00:00:00Z',
    });
    await api.createTask({
      code: 'A\\1',
      customer: { name: 'Zoë Quartermain', phone: '+442079460077' },
      autoAssign: true,
    });
    await api.createTask({ code: 'SO-9,17', customer: { name: 'Number 700123', phone: '+442079460099' } });
    for (const [code, end] of [
      ['DONE', { status: 'completed' }],
      ['FAILED', { status: 'completed', outcome: 'failed', failureReason: 'nobody there' }],
    ] as const) {
      const { id } = await api.createTask({ code, timeToServe: 'scheduled', scheduledAt: '2031-02-01T00:00:00Z' });
      await api.post(`/tasks/${id}/assign`, { agentId });
      for (const step of [{ status: 'accepted' }, { status: 'in_transit' }, end])
        await api.put(`/tasks/${id}/status`, step);
    }
    all = (await api.list('limit=100')).body.data.items;
  },
);

const PART = {
  name: 'part',
  taskType: 'delivery',
  customer: { name: 'Ada Lovelace', phone: '+442079460001' },
  location: { address: 'There', latitude: 51.5, longitude: -0.1 },
};

interface Page {
  readonly items: TaskView[];
  readonly nextCursor: string | null;
}

const codesOf = (tasks: readonly TaskView[]) => tasks.map(({ code }) => code);
const named =
  (...codes: string[]) =>
  (task: TaskView) =>
    codes.includes(task.code);
const every = () => true;
const none = () => false;
const CODES_AT_MOST = Array.from({ length: 99 }, (_, index) => `X${index}`).join(',');

const FILTERS: readonly (readonly [query: string, finds: (task: TaskView) => boolean])[] = [
  ['code=A-1', named('A-1')],
  ['code=A-1,JOB-1,,nothing', named('A-1', 'JOB-1')],
  [`code=${CODES_AT_MOST},DONE`, named('DONE')],
  ['code=SO-9,17', named('SO-9,17')],
  ['code=A-1,SO-9,17', named('A-1')],
  ['code=', every],
  ['code=,', every],
  ['search=', every],
  ['search=a-1', named('A-1', 'a-1')],
  ['search=STRASSE', named('a-1')],
  ['search=stra%C3%9Fe', named('a-1')],
  ['search=%25', named('A_1')],
  ['search=_', named('A_1')],
  ['search=%5C', named('A\\1')],
  ['search=quarter', named('A\\1')],
  ['search=ZO%C3%8B%20q', named('A\\1')],
  ['search=946-0077', named('A\\1')],
  ['search=%2B44%2020%207946%200077', named('A\\1')],
  ['search=40063', named('A-1')],
  ['search=ean-', named('A-1')],
  ['search=ean-4006381', named('A-1')],
  ['search=an-4006381', named('A-1')],
  ['search=ian-4006381', none],
  ['search=number%20700123', named('SO-9,17')],
  ['search=slumber%20700123', none],
  ['search=quarter&status=cancelled', none],
  [`search=${'x'.repeat(255)}`, none],
  ['search=%1F', every],
  ['createdFrom=2001-01-01T00:00:00Z', every],
  ['createdTo=2001-01-01T00:00:00Z', none],
  ['createdFrom=2101-01-01T00:00:00Z&createdTo=2001-01-01T00:00:00Z', none],
  ['updatedFrom=2001-01-01T00:00:00%2B01:00&updatedTo=2101-01-01T00:00:00Z', every],
  ['updatedFrom=2101-01-01T00:00:00Z', none],
  ['completedFrom=2001-01-01T00:00:00Z', named('DONE', 'FAILED')],
  ['completedTo=2001-01-01T00:00:00Z', none],
  ['dueFrom=2031-01-01T00:00:00Z&dueTo=2031-01-01T00:00:00Z', named('A_1')],
  ['dueFrom=2031-01-02T00:00:00Z', named('DONE', 'FAILED')],
  ['dueFrom=2031-01-02T00:00:00Z&dueTo=2031-01-01T00:00:00Z', none],
  ['outcome=succeeded', named('DONE')],
  ['outcome=failed', named('FAILED')],
  ['outcome=', every],
  ['isDelayed=true', none],
  ['isDelayed=false', every],
  ['autoAssignmentStatus=not_requested', (task) => task.code !== 'A\\1'],
  ['autoAssignmentStatus=assigned', none],
  ['courierType=internal', every],
  ['courierType=external', none],
  ['unassigned=true', (task) => task.agentId === null],
  ['unassigned=false', (task) => task.agentId !== null],
  ['parentId=999000111', none],
  ['bbox=-1,-1,1,1', named('A-1')],
  ['bbox=0,0,0,0', named('A-1')],
  ['bbox=-74.16545867919922,-1e-7,13.377703999999994,0.0000012345678901234567', named('A-1')],
  ['bbox=1e-7,-1,1,1', none],
  ['bbox=179,9,-179,11', named('a-1', 'A_1')],
  ['bbox=-180,-90,180,90', every],
  ['bbox=1,1,2,2', none],
  ['bbox=', every],
  ['search=a&bbox=-1,-1,1,1&courierType=internal&dueFrom=2001-01-01T00:00:00Z&unassigned=true', named('A-1')],
];

for (const [query, finds] of FILTERS) {
  test(`?${query.slice(0, 100)} finds and counts the tasks it describes, in the export too`, async () => {
    const { status, body } = await fixture.api.list(`${query}&limit=100`);
    const expected = all.filter(finds);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(codesOf(body.data.items), codesOf(expected));
    assert.equal(body.data.count, expected.length);
    const exported = await fixture.api.get(`/tasks/export?${query}`);
    assert.equal(exported.text, expected.map((task) => `${JSON.stringify(task)}\n`).join(''));
  });
}

test('the parts of a job are found by it', async () => {
  const job = all.find(({ code }) => code === 'JOB-1')!;
  const { items, count } = (await fixture.api.list(`parentId=${job.id}&sortOrder=ASC`)).body.data;
  assert.deepEqual(
    items.map(({ id }) => id),
    job.children.map(({ id }) => id),
  );
  assert.equal(count, 2);
});

test('by their schedule, tasks without one stand last in either order, page after page and cursor after cursor', async () => {
  for (const sortOrder of ['ASC', 'DESC']) {
    const sign = sortOrder === 'ASC' ? 1 : -1;
    const byId = [...all].sort((a, b) => sign * (a.id - b.id));
    const expected = codesOf([
      ...byId.filter(({ scheduledAt }) => scheduledAt !== null),
      ...byId.filter(({ scheduledAt }) => scheduledAt === null),
    ]);
    const query = `sortBy=scheduledAt&sortOrder=${sortOrder}&limit=3`;
    const paged: string[] = [];
    for (let page = 1; page <= 4; page += 1)
      paged.push(...codesOf((await fixture.api.list(`${query}&page=${page}`)).body.data.items));
    assert.deepEqual(paged, expected, sortOrder);
    const followed: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: ApiReply<Page> = await fixture.api.get(`/tasks?${query}&cursor=${cursor}`);
      followed.push(...codesOf(page.body.data.items));
      cursor = page.body.data.nextCursor;
    }
    assert.deepEqual(followed, expected, sortOrder);
  }
});

const A_TIME = 'must be an ISO 8601 date-time with a zone or offset';
const A_BOX = 'bbox must be west,south,east,north in degrees, south not above north';
const FLAG = 'must be true or false';
const VIOLATIONS: readonly (readonly [query: string, violation: string])[] = [
  [`code=${CODES_AT_MOST},Y,Z`, 'code must hold at most 100 codes, separated by commas'],
  ['code=a&code=b', 'code must be given once'],
  [`search=${'x'.repeat(256)}`, 'search must be at most 255 characters'],
  ['search=a&search=b', 'search must be given once'],
  ...[
    'createdFrom',
    'createdTo',
    'updatedFrom',
    'updatedTo',
    'completedFrom',
    'completedTo',
    'dueFrom',
    'dueTo',
  ].flatMap(
    (name) =>
      [
        [`${name}=2031-01-01`, `${name} ${A_TIME}`],
        [`${name}=1767225600`, `${name} ${A_TIME}`],
        [`${name}=2031-01-01T00:00:00Z&${name}=2031-01-01T00:00:00Z`, `${name} must be given once`],
      ] as const,
  ),
  ['outcome=late', 'outcome must be one of: succeeded, failed'],
  ['outcome=succeeded,failed', 'outcome must be one of: succeeded, failed'],
  ['outcome=failed&outcome=failed', 'outcome must be given once'],
  ...['yes', '1', 'TRUE'].flatMap((text) => [
    [`isDelayed=${text}`, `isDelayed ${FLAG}`] as const,
    [`unassigned=${text}`, `unassigned ${FLAG}`] as const,
  ]),
  ['isDelayed=true&isDelayed=false', 'isDelayed must be given once'],
  [
    'autoAssignmentStatus=Searching',
    'autoAssignmentStatus must be one of: not_requested, pending, searching, offered, assigned, failed, cancelled',
  ],
  ['courierType=robot', 'courierType must be one of: internal, external'],
  ...['0', 'x', '1.5', '1,2', '9007199254740992'].map(
    (id) => [`parentId=${id}`, 'parentId must be a positive integer'] as const,
  ),
  ...[
    '1,2,3',
    '1,2,3,4,5',
    'a,b,c,d',
    '0,10,1,9',
    '0,-91,1,0',
    '0,0,1,91',
    '-181,0,0,1',
    '0,0,181,1',
    '1e1,0,2,2',
    '0,0,1,1e-',
  ].map((box) => [`bbox=${box}`, A_BOX] as const),
  ['bbox=0,0,1,1&bbox=0,0,1,1', 'bbox must be given once'],
];

for (const [query, violation] of VIOLATIONS) {
  test(`?${query.slice(0, 100)} is a violation of lists and exports`, async () => {
    for (const path of ['/tasks', '/tasks/export']) {
      const { status, body } = await fixture.api.get(`${path}?${query}`);
      assert.equal(status, 400);
      assert.deepEqual(body.message, [violation]);
    }
  });
}

test('a task that was moved and rescheduled is found at its new place and time only, listed for searches or not', async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  const place = (latitude: number) => ({ address: 'Here', latitude, longitude: 5 });
  const { id } = await api.createTask({
    timeToServe: 'scheduled',
    scheduledAt: '2031-05-01T00:00:00Z',
    location: place(10),
  });
  const list = () => withSql(fixture.gateway.databaseUrl, (sql) => createMaintenanceStore(sql).listForSearch());
  await list();
  const moved = await api.post(`/tasks/${id}/amend`, { location: place(20) });
  assert.equal(moved.status, 200, moved.text);
  const rescheduled = await api.patch(`/tasks/${id}`, { scheduledAt: '2031-06-01T00:00:00Z' });
  assert.equal(rescheduled.status, 200, rescheduled.text);
  for (let round = 0; round < 2; round += 1) {
    for (const [query, count] of [
      ['bbox=4,9,6,11', 0],
      ['bbox=4,19,6,21', 1],
      ['scheduledTo=2031-05-02T00:00:00Z', 0],
      ['scheduledFrom=2031-05-02T00:00:00Z', 1],
    ] as const)
      assert.equal((await api.list(query)).body.data.count, count, `${query}, round ${round}`);
    await list();
  }
});
