import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_TEXTS } from '../../schema/error-texts.ts';
import { ERRORS } from '../../schema/errors.ts';
import { readPage } from './pages.ts';

test('docs/errors.md has a row with the status for every error code, and no other row', () => {
  const rows = [...readPage('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)];
  const described = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]));
  assert.equal(rows.length, Object.keys(described).length, 'a code has two rows');
  assert.deepEqual(described, Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])));
});

test('docs/errors.md says of each code what the reference says', () => {
  const page = readPage('docs/errors.md');
  const missing = Object.entries(ERROR_TEXTS).filter(
    ([code, { when, remedy }]) =>
      !page.includes(`| \`${code}\` | ${ERRORS[code as keyof typeof ERRORS].status} | ${when} | ${remedy} |\n`),
  );
  assert.deepEqual(missing, []);
});
