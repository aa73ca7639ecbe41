import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, trusted } from '../../../engine/views/parts/html.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';

const shown = (piece: Parameters<typeof html>[1]) => html`${piece}`.toString();

test('text is escaped, between tags and in attributes', () => {
  assert.equal(
    html`<p title="${`"x' onload=y`}">${'<b>&amp;</b>'}</p>`.toString(),
    '<p title="&quot;x&#39; onload=y">&lt;b&gt;&amp;amp;&lt;/b&gt;</p>',
  );
});

test('HTML within HTML stays as it is, alone and in lists', () => {
  const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
  assert.equal(html`<ul>${items}</ul>`.toString(), '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
  assert.equal(shown(trusted('<svg/>')), '<svg/>');
});

test('an absent value leaves nothing behind, and numbers are written out', () => {
  assert.equal(html`${null}${undefined}${false}${''}${[]}${0}`.toString(), '0');
});

test('a text that only looks like HTML of ours stays text', () => {
  const forged = JSON.parse('["<b>"]') as string[];
  assert.equal(shown(forged), '&lt;b&gt;');
  assert.throws(() => shown(JSON.parse('{"text":"<b>"}')), TypeError);
});

test('nothing of a hostile text is left with which HTML begins, ends or is turned around', () => {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found.
    assert.doesNotMatch(shown(text), /[<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202d\u202e]/, name);
  }
});
