import type { Locator, Page } from 'playwright-core';

/** A new task as a dispatcher types it. */
export interface Order {
  readonly what: string;
  readonly customer: string;
  readonly phone: string;
  readonly address: string;
  readonly pin: string;
}

/** The steps of a dispatcher's day, by one kind of means. */
export interface Hands {
  readonly name: string;
  signIn(login: { readonly email: string; readonly password: string }): Promise<void>;
  create(order: Order): Promise<void>;
  /** Gives a task that nobody has to a courier. */
  give(customer: string, courier: string): Promise<void>;
  /** Gives a task that a courier has to another one. */
  reassign(customer: string, courier: string): Promise<void>;
  /** Attempts the failed task again from its panel. */
  attemptAgain(customer: string): Promise<void>;
}

const FIELDS = [
  ['What', 'what'],
  ['Customer', 'customer'],
  ['Phone with country code', 'phone'],
  ['Address', 'address'],
  ['Pin', 'pin'],
] as const;
/** A hand that moves a little further than a click does. */
const DRAG_PX = 12;

export const rowOf = (page: Page, customer: string) => page.locator('.task-row').filter({ hasText: customer });
export const panelOf = (page: Page) => page.locator('.panel');
const inList = (page: Page) => page.getByLabel('Search tasks');

export function mouse(page: Page): Hands {
  const find = async (customer: string) => {
    await page.getByRole('link', { name: 'Dispatch' }).click();
    await inList(page).fill(customer);
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
  const choose = (courier: string) => page.getByRole('dialog').getByRole('option').filter({ hasText: courier }).click();
  return {
    name: 'mouse',
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
    async reassign(customer, courier) {
      await find(customer);
      await panelOf(page)
        .getByRole('button', { name: /^Reassign/ })
        .click();
      await choose(courier);
    },
    async attemptAgain(customer) {
      await find(customer);
      await rowOf(page, customer).click();
      await panelOf(page)
        .getByRole('button', { name: /^Attempt again/ })
        .click();
    },
  };
}
