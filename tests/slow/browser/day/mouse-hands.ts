import type { Locator, Page } from 'playwright-core';
import { FIELDS, type Hands, lineOf, panelOf, rowOf, searchOf } from './day-hands.ts';

/** A hand that moves a little further than a click does. */
const DRAG_PX = 12;

/** Clicks and drags; only what has to be typed is typed. */
export function mouse(page: Page): Hands {
  const find = async (customer: string) => {
    await page.getByRole('link', { name: 'Dispatch' }).click();
    await searchOf(page).fill(customer);
    await rowOf(page, customer).waitFor();
  };
  /** Places to drop on may come with the drag alone, so that the target is looked for when it is under way. */
  const drag = async (from: Locator, target: Locator) => {
    await from.hover();
    const box = (await from.boundingBox())!;
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + DRAG_PX);
    await target.hover();
    await page.mouse.up();
  };
  const press = (inside: Locator, button: string) =>
    inside.getByRole('button', { name: new RegExp(`^${button}`) }).click();
  const choose = (courier: string) => page.getByRole('dialog').getByRole('option').filter({ hasText: courier }).click();
  return {
    async signIn({ email, password }) {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    async create(order) {
      await page.getByRole('button', { name: 'New task' }).click();
      for (const [label, field] of FIELDS) await page.getByLabel(label, { exact: true }).fill(order[field]);
      await page.getByRole('button', { name: 'Create task' }).click();
    },
    async give(customer, courier) {
      await find(customer);
      const couriers = page.getByRole('list', { name: 'Drop on a courier' });
      await drag(rowOf(page, customer), couriers.getByRole('listitem').filter({ hasText: courier }));
    },
    async look(customer) {
      await find(customer);
      await rowOf(page, customer).click();
      await press(panelOf(page), 'Look for a courier');
    },
    async reassign(customer, courier) {
      await find(customer);
      await press(panelOf(page), 'Reassign');
      await choose(courier);
    },
    async attemptAgain(customer) {
      await find(customer);
      await rowOf(page, customer).click();
      await press(panelOf(page), 'Attempt again');
    },
    openInbox: () => page.getByRole('link', { name: 'Attention' }).click(),
    mend: (words, { button }) => press(lineOf(page, words), button),
    choose,
    letGo: () => page.getByRole('heading', { name: 'Attention' }).click(),
  };
}
