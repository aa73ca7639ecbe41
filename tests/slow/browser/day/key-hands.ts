import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressChord } from '../../../browser/console/console-place.ts';
import { FIELDS, type Hands, lineOf, panelOf, rowOf, searchOf } from './day-hands.ts';

const FOCUSED_NAME = `(({ activeElement: at }) =>
  (at.getAttribute('aria-label') ?? (at.labels?.[0] ?? at).textContent).trim())(document)`;
/** More stops than any page has between two fields. */
const MOST_TABS = 60;
/** More lines than the inbox of this day has. */
const MOST_LINES = 100;

/** Nothing but keys: it looks at the page to know when to press the next one, and never touches it. */
export function keyboard(page: Page): Hands {
  const { press, type, tabTo, find, choose, goToLine } = keysOf(page);
  return {
    async signIn({ email, password }) {
      await page.getByLabel('E-mail address').waitFor();
      await tabTo('E-mail address');
      await type(email);
      await tabTo('Password');
      await type(password);
      await press('Enter');
    },
    async create(order) {
      await press('n');
      await page.locator('#new-name:focus').waitFor();
      for (const [label, field] of FIELDS) {
        await tabTo(label);
        await type(order[field]);
      }
      await press('Enter');
    },
    async give(customer, courier) {
      await find(customer);
      await press('a');
      await choose(courier);
    },
    async look(customer) {
      await find(customer);
      await press('f');
    },
    async reassign(customer, courier) {
      await find(customer);
      await press('r');
      await choose(courier);
    },
    async attemptAgain(customer) {
      await find(customer);
      await press('Enter');
      await panelOf(page)
        .getByRole('button', { name: /^Attempt again/ })
        .waitFor();
      await press('y');
    },
    openInbox: () => pressChord(page, 'g', 'a'),
    async mend(words, { key }) {
      await goToLine(words);
      await press(key);
    },
    choose,
    letGo: () => press('Escape'),
  };
}

/** Parts that several steps share. */
function keysOf(page: Page) {
  const { keyboard: keys } = page;
  const press = (key: string) => keys.press(key);
  const type = (text: string) => keys.type(text);
  const tabTo = async (name: string) => {
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      if ((await page.evaluate<string>(FOCUSED_NAME)) === name) return;
      await press('Tab');
    }
    assert.fail(`no Tab leads to ${name}`);
  };
  /** The cursor is at the task then. */
  const find = async (customer: string) => {
    await pressChord(page, 'g', 'm');
    await searchOf(page).waitFor();
    await press('/');
    await press('Control+a');
    await type(customer);
    await rowOf(page, customer).waitFor();
    await press('Enter');
    await page.locator('.task-row.cursor').filter({ hasText: customer }).waitFor();
  };
  const choose = async (courier: string) => {
    await page.getByRole('dialog').waitFor();
    await type(courier);
    await page.getByRole('option', { selected: true }).filter({ hasText: courier }).waitFor();
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  /** Into the inbox, and down to the line with these words. */
  const goToLine = async (words: string) => {
    await lineOf(page, words).waitFor();
    const at = page.locator('.alert:focus').filter({ hasText: words });
    for (let downs = 0; downs < MOST_LINES && (await at.count()) === 0; downs++) await press('j');
    assert.equal(await at.count(), 1, `no j leads to ${words}`);
  };
  return { press, type, tabTo, find, choose, goToLine };
}
