import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../../../schema/tasks/task-view.ts';
import { consoleModule } from '../../../../support/system/console-module.ts';
import { openPage } from '../../../../support/system/page-globals.ts';

openPage();
const { discardSent, draft, EMPTY_DRAFT, isDrafting, ...edit } = await consoleModule(`
  export { discardSent, draft, EMPTY_DRAFT, isDrafting } from './page/draft.ts';
  export { beginEdit, changeEdit, edits, endEdit, meetSaved } from './page/edit.ts';
`);
const { beginEdit, changeEdit, edits, endEdit, meetSaved } = edit;

const TASK = { id: 7, location: null, contact: null, notes: null, description: null } as unknown as TaskView;
Object.assign(TASK, { scheduledAt: null, windowStart: null, windowEnd: null });

test('a new task that is created leaves its form, unless somebody has typed there since', () => {
  isDrafting.value = true;
  draft.value = { ...EMPTY_DRAFT, name: 'Oranges' };
  const sent = draft.value;
  draft.value = { ...sent, notes: 'Ring twice' };
  assert.equal(discardSent(sent), false);
  assert.deepEqual([draft.value.notes, isDrafting.value], ['Ring twice', true]);
  assert.equal(discardSent(draft.value), true);
  assert.deepEqual([draft.value, isDrafting.value], [EMPTY_DRAFT, false]);
});

test('a change that is saved ends, and what was typed since stays as a change of what is saved', () => {
  beginEdit(TASK);
  changeEdit(7, { notes: 'Ring twice' });
  const sent = edits.value.get(7);
  changeEdit(7, { description: 'Two boxes' });
  const contact = { name: 'Ada', phone: '+442079460001' };
  const saved = { ...TASK, notes: 'Ring twice', contact };
  meetSaved(saved, sent);
  const { before, form } = edits.value.get(7);
  assert.deepEqual([before.notes, before.description], ['Ring twice', '']);
  assert.deepEqual([form.notes, form.description], ['Ring twice', 'Two boxes']);
  assert.equal(form.contactName, 'Ada', 'a colleague has named it meanwhile');
  meetSaved({ ...saved, description: 'Two boxes' }, edits.value.get(7));
  assert.equal(edits.value.size, 0);
});

test('a change that was discarded and begun again while it was sent stays as it is', () => {
  beginEdit(TASK);
  changeEdit(7, { notes: 'Ring twice' });
  const sent = edits.value.get(7);
  endEdit(7);
  beginEdit(TASK);
  const begun = edits.value.get(7);
  meetSaved({ ...TASK, notes: 'Ring twice' }, sent);
  assert.equal(edits.value.get(7), begun);
});
