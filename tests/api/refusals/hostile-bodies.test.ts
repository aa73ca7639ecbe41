import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { type ApiReply, taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

/** Malformed JSON, hostile text, numbers and dates: never a 5xx, always the decided answer (docs/contract.md §1). */

const fixture = useGateway();

function postRaw(body: string | Buffer, path = '/api/v1/tasks', method = 'POST'): Promise<ApiReply> {
  const headers = { 'x-api-key': fixture.gateway.key, 'content-type': 'application/json' };
  return fixture.api.raw({ method, path, headers, body });
}

/** A good body with one value written literally, as JSON.stringify would not. */
function literally(field: string, literal: string): string {
  return JSON.stringify(taskInput({ [field]: '@' })).replace('"@"', literal);
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const good = JSON.stringify(taskInput());

/** In the manner of JSONTestSuite. */
const MALFORMED: readonly (string | Buffer)[] = [
  ' ',
  '{',
  '}',
  '{]',
  '[',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a" 1}',
  "{'a':1}",
  '{a:1}',
  '{"a":1}}',
  '{"a":1} x',
  '[1,]',
  '[,1]',
  'nul',
  'True',
  'undefined',
  'NaN',
  'Infinity',
  '{"a":NaN}',
  '{"a":-Infinity}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":1e}',
  '{"a":0x10}',
  '{"a":1_000}',
  '"',
  '"\\x"',
  '{"a":"\\u00g0"}',
  '{"a":"\\u12"}',
  '{"a":"\t"}',
  '{"a":"line\nbreak"}',
  '{"a":"\u0000"}',
  '// c\n{}',
  '/* c */{}',
  '{"a":1/*c*/}',
  `${good}${good}`,
  `${good},`,
  '\u00a0{}',
  `\ufeff${good}`,
  '{"a":1}\u0000',
  `{"a":${'['.repeat(100_000)}`,
];

for (const [index, body] of MALFORMED.entries()) {
  test(`malformed body ${index} ${JSON.stringify(String(body).slice(0, 24))} is a plain 400`, async () => {
    const { status, text } = await postRaw(body);
    assert.equal(status, 400);
    assert.equal(text, '{"statusCode":400,"message":"The body is not valid JSON","error":"Bad Request"}');
  });
}

test('a missing body is a plain 400', async () => {
  const { status, text } = await postRaw('');
  assert.equal(status, 400);
  assert.equal(text, '{"statusCode":400,"message":"The request has no body","error":"Bad Request"}');
});

for (const [name, bytes] of [
  ['an overlong encoding', [0xc0, 0xaf]],
  ['a lone continuation byte', [0x80]],
  ['a cut-off sequence', [0xe2, 0x82]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['a code point past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['latin1', [0xe9]],
  ['UTF-16', [0xff, 0xfe]],
] as const) {
  test(`${name} in a body is a plain 400`, async () => {
    const [head, tail] = JSON.stringify(taskInput({ notes: '@' })).split('@');
    const { status, text } = await postRaw(Buffer.concat([Buffer.from(head!), Buffer.from(bytes), Buffer.from(tail!)]));
    assert.equal(status, 400);
    assert.equal(text, '{"statusCode":400,"message":"The body is not UTF-8","error":"Bad Request"}');
  });
}

for (const [encoding, compress] of [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
] as const) {
  test(`a body in ${encoding} is 415`, async () => {
    const { key } = fixture.gateway;
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': encoding };
    const body = compress(JSON.stringify(taskInput()));
    const { status, text } = await fixture.api.raw({ method: 'POST', path: '/api/v1/tasks', headers, body });
    assert.equal(status, 415);
    assert.match(text, /"message":"The body must have no Content-Encoding"/);
  });
}

for (const body of ['null', 'true', '5', '"text"', '[]', '[{}]', nested(500), nested(20_000)]) {
  test(`the JSON ${body.slice(0, 20)} (${body.length} characters) is no object: a violation`, async () => {
    const { status, body: refused } = await postRaw(body);
    assert.equal(status, 400);
    assert.deepEqual(refused.message, ['the body must be an object']);
  });
}

test('a malformed body of a change of status is refused alike', async () => {
  for (const body of ['{', '\u0000', Buffer.from([0xff])]) {
    const { status, body: refused } = await postRaw(body, '/api/v1/tasks/1/status', 'PUT');
    assert.equal(status, 400);
    assert.equal(typeof refused.message, 'string');
  }
});

/** A field, its JSON text, and the violation. */
const LITERALS: readonly (readonly [field: string, literals: readonly string[], violation: string])[] = [
  [
    'preferredAgentId',
    ['0', '-1', '1.5', '-0', '9007199254740992', '9223372036854775808', '1e400', '1e-400', '-1e400'],
    'preferredAgentId must be a positive integer',
  ],
  ['preferredAgentId', ['"1"', 'true', '{}', '[1]', '"NaN"', '"Infinity"'], 'preferredAgentId must be a number'],
  ['estimatedDuration', ['0', '-5', '0.5', '-0', '1e-400'], 'estimatedDuration must be a positive integer'],
  ['estimatedDuration', ['525601', '2147483647'], 'estimatedDuration must be at most 525600 minutes'],
  [
    'packages',
    ['[{"name":"a","weight":1e400}]', '[{"name":"a","weight":-0.001}]'],
    'packages.0.weight must be a number of 0 or more',
  ],
  ['location', ['{"address":"x","latitude":1e400,"longitude":0}'], 'location.latitude must be between -90 and 90'],
  ['name', ['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"'], 'name must not contain NUL or unpaired surrogates'],
  [
    'integrationData',
    [
      '{"a":1e400}',
      '{"a":[-1e400]}',
      '{"a":"\\u0000"}',
      '{"\\u0000":1}',
      '{"a":{"b":"\\ud800"}}',
      `{"a":${nested(40)}}`,
    ],
    'integrationData must hold only storable text and finite numbers, nested at most 32 deep',
  ],
];

for (const [field, literals, violation] of LITERALS) {
  for (const literal of literals) {
    test(`${field}: ${literal.slice(0, 40)} is a violation`, async () => {
      const { status, body } = await postRaw(literally(field, literal));
      assert.equal(status, 400);
      assert.deepEqual(body.message, [violation]);
    });
  }
}

test('numbers are never rounded to another id', async () => {
  const { status, text } = await postRaw(literally('packageIds', '[9007199254740991]'));
  assert.equal(status, 404);
  assert.match(text, /Package with ID 9007199254740991 not found/);
});

test('small numbers come back as they are, and minus zero as zero', async () => {
  const { status, body } = await postRaw(
    literally('packages', '[{"name":"a","weight":1e-400,"width":-0,"height":1e-7,"length":1e300}]'),
  );
  assert.equal(status, 201);
  const [item] = body.data.packages;
  assert.deepEqual([item!.weight, item!.width! + 0, item!.height, item!.length], [0, 0, 1e-7, 1e300]);
  assert.deepEqual((await fixture.api.list('limit=1')).text.includes('"width":0,'), true);
});

/** Every way to write a time stands in tests/unit/schema/fields.test.ts. */
for (const [given, shown] of [
  ['2031-03-30T02:30:00+01:00', '2031-03-30T01:30:00.000Z'],
  ['2031-02-29T12:00:00Z', undefined],
] as const) {
  test(`the time "${given}" is ${shown ? `kept as ${shown}` : 'a violation'}`, async () => {
    const { status, body } = await fixture.api.post(
      '/tasks',
      taskInput({ timeToServe: 'scheduled', scheduledAt: given }),
    );
    if (shown) assert.deepEqual([status, body.data.scheduledAt], [201, shown]);
    else
      assert.deepEqual(
        [status, body.message],
        [400, ['scheduledAt must be an ISO 8601 date-time with a zone or offset']],
      );
  });
}

const POLLUTION =
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":"x","valueOf":null}';

test('keys that pollute prototypes are stored in integrationData as plain data', async () => {
  const { status, body, text } = await postRaw(
    literally('integrationData', `{"deep":${POLLUTION},${POLLUTION.slice(1)}`),
  );
  assert.equal(status, 201);
  const expected = `"integrationData":{"deep":${POLLUTION},${POLLUTION.slice(1)}`;
  assert.ok(text.includes(expected), text);
  assert.ok((await fixture.api.get(`/tasks/${body.data.id}`)).text.includes(expected));
  assert.ok((await fixture.api.list('limit=1')).text.includes(expected));
});

test('keys that pollute prototypes are dropped everywhere else', async () => {
  const place = `{"address":"x","latitude":1,"longitude":2,${POLLUTION.slice(1)}`;
  const body =
    `{"taskType":"delivery","name":"n","location":${place},"packages":[{"name":"a",${POLLUTION.slice(1)}],` +
    `"customer":{"name":"A","phone":"+442079460001",${POLLUTION.slice(1)},${POLLUTION.slice(1)}`;
  const { status, text } = await postRaw(body);
  assert.equal(status, 201);
  assert.ok(!text.includes('polluted'));
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const listed = await fixture.api.list(names.map((name) => `${name}=1`).join('&'));
  assert.deepEqual(
    listed.body.message,
    names.map((name) => `${name} is not a parameter of this call`),
  );
  // The gateway runs in this process.
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('a prototype cannot stand in for missing fields', async () => {
  const { status, body } = await postRaw(`{"__proto__":${good}}`);
  assert.equal(status, 400);
  assert.ok(body.message.includes('name is required'));
});

test('SQL and markup in text are text', async () => {
  for (const notes of [
    "'; DROP TABLE tasks; --",
    '\\',
    '$1',
    '{"a":"b"}',
    '<script>alert(1)</script>',
    '=cmd()',
    '{}',
    '{NULL,"x"}',
  ]) {
    const task = await fixture.api.createTask({
      notes,
      name: notes,
      requiredSkills: [notes],
      integrationData: { [notes]: notes },
    });
    assert.deepEqual((await fixture.api.list('limit=1')).body.data.items, [task]);
  }
});
