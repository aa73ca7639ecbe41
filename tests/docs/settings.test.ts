import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readPage } from './pages.ts';

test('docs/operating/settings.md has every setting of the configuration, and no other', () => {
  const config = readFileSync('engine/runtime/config.ts', 'utf8');
  const start = config.indexOf('environmentSchema = v.object({');
  const schema = config.slice(start, config.indexOf('\n});', start));
  const read = [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
  const rows = [...readPage('docs/operating/settings.md').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)];
  const described = rows.flatMap(([, cell]) => cell!.replaceAll('`', '').split(', '));
  // The administrator's client reads this one by itself.
  assert.deepEqual(described.filter((name) => name !== 'ADMIN_URL').sort(), read.sort());
});
