import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCodeSymbols } from '../../../../gateway/pages/code-symbols.ts';
import { HOSTILE_TEXTS } from '../../../support/seeds/hostile-texts.ts';

const { barcodeOf, qrCodeOf } = await openCodeSymbols();

const DOT_MM = 0.125;

const sizeOf = (svg: string) => {
  const [, width, height, units] = /width="([\d.]+)mm" height="([\d.]+)mm" .*viewBox="0 0 (\d+) /.exec(svg)!;
  return { width: Number(width), height: Number(height), units: Number(units) };
};

test('the code of a task fits on either paper in bars of whole dots, two at least', () => {
  for (const paper of [72, 48]) {
    const { width, units } = sizeOf(String(barcodeOf('TSK-9ZA12DFTCF', paper)));
    const dots = width / units / DOT_MM;
    assert.ok(width <= paper && dots >= 2 && Number.isInteger(dots), `${width} mm, bars of ${dots} dots`);
  }
});

test('a code that would need narrower bars, or is not ASCII, has no barcode', () => {
  assert.ok(barcodeOf('ORDER-WITH-A-LONG-CODE', 72));
  for (const code of ['ORDER-WITH-A-LONG-CODE', 'W'.repeat(255), 'Straße 7', 'a\tb', ''])
    assert.equal(barcodeOf(code, 48), undefined, code);
});

test('any code has a QR code, square, of whole dots and no wider than the narrowest paper', () => {
  for (const code of ['7', 'TSK-9ZA12DFTCF', '漢'.repeat(255)]) {
    const { width, height, units } = sizeOf(String(qrCodeOf(code)));
    assert.ok(
      width === height && width <= 48 && Number.isInteger((width / units) * (2 / DOT_MM)),
      `${width} mm: ${code}`,
    );
  }
});

test('the drawing of any code is paths alone', () => {
  for (const code of [...Object.values(HOSTILE_TEXTS), '^FNC1^NUL', '%3Csvg%3E', '\\']) {
    for (const svg of [qrCodeOf(code), barcodeOf(code, 1_000)])
      if (svg) assert.match(String(svg), /^<svg [^<>]*>\s*(<path [^<>]*\/>\s*)+<\/svg>\s*$/, code);
  }
});
