import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Colours, DARK, LIGHT, TOKEN_SHEET } from '../../../engine/views/parts/design-tokens.ts';

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const TEXTS = [
  ['text', 'ground'],
  ['text', 'card'],
  ['soft', 'ground'],
  ['soft', 'card'],
  ['accent', 'ground'],
  ['accent', 'card'],
  ['danger', 'ground'],
  ['danger', 'card'],
  ['onAccent', 'accent'],
] as const satisfies readonly (readonly [keyof Colours, keyof Colours])[];

for (const [name, theme] of Object.entries({ LIGHT, DARK })) {
  test(`every text of the theme ${name} has a contrast of 4.5 or more`, () => {
    for (const [text, ground] of TEXTS) {
      const ratio = contrast(theme[text], theme[ground]);
      assert.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
    }
  });
}

test('the sheet gives every colour its property, once in each theme', () => {
  for (const [role, colour] of [...Object.entries(LIGHT), ...Object.entries(DARK)]) {
    const property = `--${role === 'onAccent' ? 'on-accent' : role}:${colour};`;
    assert.equal(TOKEN_SHEET.split(property).length, 2, property);
  }
});
