import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../gateway/admin-cli/admin-errors.ts';
import { fieldOf, type Order, parseVerb, VERBS } from '../../../gateway/admin-cli/parse-verb.ts';
import { printAnswer } from '../../../gateway/admin-cli/print-answer.ts';
import { AUDITED_TYPES } from '../../../schema/accounts/audit.ts';
import { fieldsOf, nameOf, ROUTES } from '../../api/guards/route-table.ts';

/** The commands of `npm run admin`, without a system to run them on. */

for (const verb of VERBS) {
  if (!('route' in verb)) continue;
  test(`${verb.noun} ${verb.verb} asks a route that there is, for what it takes`, () => {
    const route = ROUTES.find((each) => nameOf(each) === verb.route);
    assert.ok(route, verb.route);
    const { query, body } = fieldsOf(route);
    const taken = [...(route.method === 'GET' ? query : body), ...(route.path.includes(':id') ? ['id'] : [])];
    const isOfOrganization = route.guard.kind === 'permission' && route.guard.scope !== 'platform';
    const needed = isOfOrganization ? [...taken, 'organization'] : taken;
    assert.equal(verb.isInOrganization, isOfOrganization);
    assert.deepEqual(
      verb.parameters.map(fieldOf).filter((field) => !needed.includes(field)),
      [],
    );
  });
}

const orderOf = (line: string) => parseVerb(line.split(' ')) as Extract<Order, { kind: 'run' }>;

test('typed words become fields of the API', () => {
  const typed =
    'channels update 7 --organization 3 --rate-limit null --locations-write true --json --as root@test.example';
  const { verb, values, isJson, as } = orderOf(typed);
  assert.deepEqual([verb.noun, verb.verb, isJson, as], ['channels', 'update', true, 'root@test.example']);
  assert.deepEqual(values, { organization: 3, id: 7, rateLimit: null, locationsWrite: true });
  assert.deepEqual(orderOf('organizations update --id 1 --limits {"tasks":5}').values, { id: 1, limits: { tasks: 5 } });
  assert.deepEqual(orderOf('agents issue-tokens --organization 1 --ids 4,5').values, { organization: 1, ids: [4, 5] });
});

for (const line of [
  'nothing list',
  'channels',
  'channels sell',
  '--json channels list --organization 1',
  'channels list',
  'channels list --organization one',
  'channels list --organization 1 --colour red',
  'channels show 1 2 --organization 1',
  'channels list 1 --organization 1',
  'channels update 1 --organization 1 --locations-write maybe',
  'channels update 1 --organization 1 --name',
  'organizations update 1 --limits 5',
  'organizations update 1 --limits {',
  'agents issue-tokens --organization 1 --ids 1,x',
  'users create-super-admin --email a@test.example --password secret99 --password-stdin',
]) {
  test(`"${line}" is not understood`, () => assert.throws(() => parseVerb(line.split(' ')), UsageError));
}

test('a change of nothing is not understood, and told what can be changed', () => {
  for (const [line, message] of [
    [
      'organizations update 1',
      'organizations update needs something to change: --name, --status, --currency, --limits, --settings.',
    ],
    [
      'channels update 1 --organization 1 --json',
      'channels update needs something to change: --name, --status, --rate-limit, --locations-write.',
    ],
    ['users update 1 --organization 1', 'users update needs something to change: --name, --role, --active.'],
  ] as const)
    assert.throws(() => parseVerb(line.split(' ')), { constructor: UsageError, message });
});

for (const [line, count] of [
  ['', VERBS.length],
  ['--help', VERBS.length],
  ['channels --help', 5],
  ['channels update --help', 1],
] as const) {
  test(`"${line}" shows the help of ${count} verbs`, () => {
    const order = parseVerb(line.split(' ').filter((word) => word !== ''));
    assert.equal(order.kind === 'help' && order.verbs.length, count);
  });
}

test('the help of the audit log names every type of record', () => {
  const { parameters } = orderOf('audit list --organization 1').verb;
  const words = parameters.find(({ name }) => name === 'record-type')!.help!.split(/, | or /);
  assert.deepEqual(words, AUDITED_TYPES);
});

test('lists are shown in columns, records a field a line, and names cannot move the cursor', () => {
  const items = [
    { id: 1, name: 'A\u001b[2J', limits: { tasks: null } },
    { id: 20, name: 'Bee', limits: { tasks: 5 } },
  ];
  const columns = ['id', 'name', 'limits.tasks'];
  const shown = ['id  name        limits.tasks', '1   A\\u001b[2J  –', '20  Bee         5', '2 of 7', ''];
  assert.equal(printAnswer({ columns }, { items, count: 7 }), shown.join('\n'));
  assert.equal(printAnswer({ columns }, { items: [], count: 0 }), 'none\n0 of 0\n');
  assert.equal(printAnswer({}, { id: 1, settings: { a: [] } }), 'id        1\nsettings  {"a":[]}\n');
});
