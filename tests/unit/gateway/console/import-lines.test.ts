import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineJudge } from '../../../../gateway/console/import/judge-line.ts';
import { decodeFile, parseLines } from '../../../../gateway/console/import/parse-lines.ts';
import type { CellContext } from '../../../../gateway/console/import/read-cell.ts';
import { type Part, partsOf, sendParts } from '../../../../gateway/console/import/send-lines.ts';
import { type ColumnName, columnsIn } from '../../../../gateway/console/import/task-columns.ts';
import type { Answer } from '../../../../gateway/console/live/protocol.ts';
import { momentIn } from '../../../../gateway/console/time/wall-clock.ts';

const context: CellContext = {
  momentOf: (local) => momentIn(local, 'UTC'),
  today: '2031-05-01',
  now: () => Date.parse('2031-05-01T08:00:00Z'),
};

test('a table is read with commas, semicolons and tabs, with quotes and line breaks inside, and without its empty lines', () => {
  const table: readonly (readonly [text: string, cells: readonly (readonly string[])[]])[] = [
    ['a,b\n"x, y",2\n', [['a', 'b'], ['x, y', '2']]],
    ['a;b\r\nMain St 5, Berlin;"he said ""no"""\r\n\r\n', [['a', 'b'], ['Main St 5, Berlin', 'he said "no"']]],
    ['a\tb\n\t\n"1\n2"\t3', [['a', 'b'], ['1\n2', '3']]],
    ['\uFEFFa,b\n1,2', [['a', 'b'], ['1', '2']]],
  ]; // biome-ignore format: one row a case
  for (const [text, cells] of table)
    assert.deepEqual(
      parseLines(text).lines.map((line) => line.cells),
      cells,
      text,
    );
  assert.deepEqual(
    parseLines('a,b\n\n1,2').lines.map(({ line }) => line),
    [1, 3],
  );
  assert.equal(parseLines('a,b\n"1,2\n3,4').openQuote, true);
  assert.equal(parseLines('a,b\n"1",2').openQuote, false);
});

test('a file is read in the encodings that spreadsheets write, and a workbook is refused', () => {
  assert.equal(decodeFile(new TextEncoder().encode('Müller')), 'Müller');
  assert.equal(decodeFile(Uint8Array.of(0x4d, 0xfc, 0x6c)), 'Mül');
  assert.equal(decodeFile(Uint8Array.of(0xff, 0xfe, 0x4d, 0, 0xfc, 0)), 'Mü');
  assert.equal(decodeFile(Uint8Array.of(0x50, 0x4b, 3, 4)), undefined);
  assert.equal(decodeFile(new TextEncoder().encode('PKZ;Customer')), 'PKZ;Customer');
});

test('headings name columns in any order, case and spelling; unknown and second ones are left out', () => {
  assert.deepEqual(
    columnsIn(['customer.phone', 'DELIVERY ADDRESS', 'lng', 'Colour', 'Customer_Name', 'Recipient', '']),
    ['phone', 'address', 'longitude', null, 'customer', null, null],
  );
});

const COLUMNS: ColumnName[] = ['name', 'type', 'customer', 'phone', 'address', 'latitude', 'longitude'];
const CELLS = ['Books', 'Delivery', 'Ada', '+44 20 7946 0001', 'Low St 1', '52.5', '13.4'];

function judged(changes: Partial<Record<ColumnName, string>>) {
  const extra = Object.keys(changes) as ColumnName[];
  const columns = [...COLUMNS.filter((name) => !extra.includes(name)), ...extra];
  const cells = columns.map((name) => changes[name] ?? CELLS[COLUMNS.indexOf(name)]!);
  return lineJudge(columns, context)(cells);
}

test('a line becomes the body of the API, with the cells that spreadsheets write', () => {
  const customer = { name: 'Ada', phone: '+44 20 7946 0001' };
  const location = { address: 'Low St 1', latitude: 52.5, longitude: 13.4 };
  const plain = { name: 'Books', type: 'delivery', customer, location };
  const table: readonly (readonly [changes: Partial<Record<ColumnName, string>>, order: object])[] = [
    [{}, plain],
    [{ type: 'Pick-up' }, { ...plain, type: 'pickup' }],
    [{ type: '', name: '' }, { type: 'delivery', customer, location }],
    [{ phone: '0044 20 79460001' }, { ...plain, customer: { ...customer, phone: '+44 20 79460001' } }],
    [{ latitude: '52,25' }, { ...plain, location: { ...location, latitude: 52.25 } }],
    [{ latitude: '', longitude: '', pin: '52.1, 13.1' }, { ...plain, location: { ...location, latitude: 52.1, longitude: 13.1 } }],
    [{ windowEnd: '14:30' }, { ...plain, windowEnd: '2031-05-01T14:30:00.000Z' }],
    [{ windowEnd: '24:00' }, { ...plain, windowEnd: '2031-05-02T00:00:00.000Z' }],
    [{ windowEnd: '2031-05-02 9:05' }, { ...plain, windowEnd: '2031-05-02T09:05:00.000Z' }],
    [{ windowEnd: '2.6.2031 09:05:10' }, { ...plain, windowEnd: '2031-06-02T09:05:00.000Z' }],
    [{ windowEnd: '2031-05-02T09:05+02:00' }, { ...plain, windowEnd: '2031-05-02T09:05+02:00' }],
    [{ scheduledAt: '14:30' }, { ...plain, scheduledAt: '2031-05-01T14:30:00.000Z', timeToServe: 'scheduled' }],
    [{ autoAssign: 'Yes' }, { ...plain, autoAssign: true }],
    [{ requiredSkills: 'cold; heavy' }, { ...plain, requiredSkills: ['cold', 'heavy'] }],
    [{ amount: '12,50', currency: 'EUR' }, { ...plain, amount: '12.50', currency: 'EUR' }],
  ]; // biome-ignore format: one row a case
  for (const [changes, order] of table) {
    const { order: got, faults } = judged(changes);
    assert.deepEqual(faults, [], JSON.stringify(changes));
    assert.deepEqual(got, order, JSON.stringify(changes));
  }
});

test('each cell that the API would refuse has its fault in words, and no cell has two', () => {
  const table: readonly (readonly [changes: Partial<Record<ColumnName, string>>, faults: readonly unknown[]])[] = [
    [{ phone: '12' }, [['phone', 'Phone must be a possible phone number with its country code.']]],
    [{ phone: '+12125550100 x12' }, [['phone', 'Phone must be a phone number without an extension; write the extension into a text, such as notes.']]],
    [{ phone: '' }, [['phone', 'Phone is missing.']]],
    [{ latitude: 'abc' }, [['latitude', 'Latitude must be degrees, such as 52.52.']]],
    [{ latitude: '95' }, [['latitude', 'Latitude must be between -90 and 90.']]],
    [{ latitude: '', longitude: '', pin: 'here' }, [['pin', 'Pin must be latitude and longitude, such as 52.52, 13.405.']]],
    [{ customer: '', phone: '' }, [['customer', 'A customer is missing: a name with a phone number, or a customer number.']]],
    [{ windowEnd: '31/12/2031' }, [['windowEnd', 'Not after must be a time, such as 2031-05-01 14:30 or 14:30.']]],
    [{ windowEnd: '30.02.2032 14:00' }, [['windowEnd', 'Not after must be a time, such as 2031-05-01 14:30 or 14:30.']]],
    [{ windowEnd: '2032-02-30 10:00' }, [['windowEnd', 'Not after must be a time, such as 2031-05-01 14:30 or 14:30.']]],
    [{ readyAt: '31.4.2032 14:00' }, [['readyAt', 'Ready at must be a time, such as 2031-05-01 14:30 or 14:30.']]],
    [{ windowEnd: '14:60' }, [['windowEnd', 'Not after must be a time, such as 2031-05-01 14:30 or 14:30.']]],
    [{ windowEnd: '07:00' }, [['windowEnd', 'Not after must be in the future.']]],
    [{ amount: '1,234' }, [['amount', 'Amount must be an amount, such as 1234.50.']]],
    [{ autoAssign: 'maybe' }, [['autoAssign', 'Look for a courier must be yes or no.']]],
    [{ type: 'gift', customerId: '1.5' }, [
      ['customerId', 'Customer number must be a whole number.'],
      ['type', 'Type must be one of: delivery, pickup, return, transfer, cash_collection, cash_drop.'],
    ]],
  ]; // biome-ignore format: one row a case
  for (const [changes, faults] of table)
    assert.deepEqual(
      judged(changes).faults.map(({ column, words }) => [column, words]),
      faults,
      JSON.stringify(changes),
    );
});

const lines = (count: number, notes = '') =>
  Array.from({ length: count }, (_, line) => ({ line, order: { name: `Task ${line}`, notes } }));

function keys(): () => string {
  let made = 0;
  return () => `key ${++made}`;
}

test('lines are divided by the number of tasks and by the bytes of a batch, each part with a key of its own', () => {
  const parts = partsOf(lines(1_201), keys());
  assert.deepEqual(
    parts.map(({ key, orders }) => [key, orders.length]),
    [
      ['key 1', 500],
      ['key 2', 500],
      ['key 3', 201],
    ],
  );
  assert.deepEqual(
    parts.flatMap((part) => part.lines),
    lines(1_201).map(({ line }) => line),
  );
  for (const { orders } of partsOf(lines(300, 'ü'.repeat(10_000)), keys())) {
    const bytes = new TextEncoder().encode(JSON.stringify({ tasks: orders })).length;
    assert.ok(bytes <= 5 * 1_048_576, `${bytes} bytes`);
  }
});

test('a part without an answer is kept as it was sent, and what would come after it stays', async () => {
  const fresh = partsOf(lines(1_201), keys());
  const lost: Answer = { ok: false, failure: { status: 0, code: null, message: '', details: null } };
  const done: Answer = { ok: true, status: 200, data: null };
  const refused: Answer = { ok: false, failure: { status: 403, code: 'FORBIDDEN', message: '', details: null } };
  const sendAll = async (answers: readonly Answer[], parts: readonly Part[] = fresh) => {
    const sent: string[] = [];
    const open = await sendParts(
      parts,
      async ({ key }) => answers[sent.push(key) - 1]!,
      () => {},
      () => 1_000,
    );
    return { sent, open: open?.key, ...(open && { since: open.firstSentAtMs }) };
  };
  assert.deepEqual(await sendAll([done, done, done]), { sent: ['key 1', 'key 2', 'key 3'], open: undefined });
  assert.deepEqual(await sendAll([done, lost]), { sent: ['key 1', 'key 2'], open: 'key 2', since: 1_000 });
  assert.deepEqual(await sendAll([refused]), { sent: ['key 1'], open: undefined });
  // A part that was sent before may have been made then, and a guard's refusal does not decide about that.
  const again = fresh.with(0, { ...fresh[0]!, firstSentAtMs: 7 });
  assert.deepEqual(await sendAll([refused], again), { sent: ['key 1'], open: 'key 1', since: 7 });
  assert.deepEqual(await sendAll([done, refused], again), { sent: ['key 1', 'key 2'], open: undefined });
});
