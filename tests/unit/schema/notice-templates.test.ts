import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { LIMITS } from '../../../schema/limits.ts';
import { noticeTemplatesSchema, PLACEHOLDERS } from '../../../schema/notices/notice-templates.ts';

const problems = (templates: unknown) =>
  v.safeParse(noticeTemplatesSchema, templates).issues?.map((issue) => `${v.getDotPath(issue)} ${issue.message}`) ?? [];

test('templates may name what is known when a mail is written, or be left out', () => {
  const all = PLACEHOLDERS.map((name) => `{{${name}}} {{ ${name} }}`).join(' ');
  for (const templates of [
    {},
    { created: null },
    { created: {}, onTheWay: { subject: null, introduction: all } },
    { completed: { subject: '{ } {x} }{', introduction: 'a\nb\r\n\tc' } },
  ])
    assert.deepEqual(problems(templates), []);
});

for (const text of [
  '{{name}}',
  '{{}}',
  '{{customerName',
  'customerName}}',
  '{{{customerName}}}',
  '{{{customerName}}',
  '{{customerName}}}',
  '{{customer Name}}',
  '{{CustomerName}}',
  '{{constructor}}',
]) {
  test(`a template with ${text} is refused`, () => {
    assert.deepEqual(problems({ created: { introduction: text } }), [
      `created.introduction must have in double braces nothing but ${PLACEHOLDERS.join(', ')}`,
    ]);
  });
}

for (const subject of ['a\r\nBcc: b@example.com', 'a\nb', 'a\u0007', 'a\u2028b', 'a\u0085b']) {
  test(`a subject of ${JSON.stringify(subject)} is refused`, () => {
    assert.deepEqual(problems({ onTheWay: { subject } }), [
      'onTheWay.subject must be one line without control characters',
    ]);
  });
}

test('a template that is empty, too long or no text is refused', () => {
  for (const created of [
    { subject: ' ' },
    { subject: 'x'.repeat(LIMITS.mailSubjectChars + 1) },
    { subject: 1 },
    { introduction: '' },
    { introduction: 'x'.repeat(LIMITS.mailIntroductionChars + 1) },
    { introduction: 'a\u0000' },
    { introduction: 'a\u001b[31m' },
    'text',
  ])
    assert.ok(problems({ created }).length > 0, JSON.stringify(created));
});

test('a template of nothing but braces is judged at once', () => {
  const introduction = `${'{{ '.repeat(LIMITS.mailIntroductionChars / 4)}`;
  const before = process.cpuUsage();
  assert.equal(problems({ created: { introduction } }).length, 1);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, `it took ${user + system} µs of computing`);
});
