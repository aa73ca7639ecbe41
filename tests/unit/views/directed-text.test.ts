import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directedText } from '../../../engine/views/parts/directed-text.ts';
import { html } from '../../../engine/views/parts/html.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';

/** The runs from left to right in brackets of their own. */
const runsOf = (text: string) =>
  directedText(text)
    .toString()
    .replaceAll('<span class="ltr">', '⟦')
    .replaceAll('</span>', '⟧')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');

for (const [text, runs] of [
  ['Plain </b> text', 'Plain </b> text'],
  ['مرحبا </b> شكرا', 'مرحبا ⟦</b>⟧ شكرا'],
  ['مرحبا</b>شكرا', 'مرحبا⟦</b>⟧شكرا'],
  ['اتصل +44 20 7946 على', 'اتصل ⟦+44 20 7946⟧ على'],
  ['شارع (شركة ABC) 12.', 'شارع (شركة ⟦ABC⟧) ⟦12⟧.'],
  ['שלום, New York (NY)!', 'שלום, ⟦New York (NY)⟧!'],
  ['🎂 — كعكة', '🎂 — كعكة'],
  ['٣/٤ كيلو', '٣/٤ كيلو'],
] as const)
  test(`the runs from left to right of ${text} keep to themselves`, () => assert.equal(runsOf(text), runs));

test('no sign of a text is lost or moved, and none becomes markup', () => {
  for (const hostile of Object.values(HOSTILE_TEXTS)) {
    for (const text of [hostile, `مرحبا ${hostile} שלום`, `${hostile}\u05d0`]) {
      const shown = directedText(text)
        .toString()
        .replaceAll(/<span class="ltr">|<\/span>/g, '');
      assert.equal(shown, html`${text}`.toString());
    }
  }
});

test('a text of ten thousand brackets is split within milliseconds', () => {
  const began = process.cpuUsage().user;
  directedText(`א ${'('.repeat(5_000)}a${')]'.repeat(2_500)}`);
  assert.ok(process.cpuUsage(undefined).user - began < 300_000);
});
