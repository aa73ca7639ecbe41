import type { Page } from 'playwright-core';

/** A new task as a dispatcher types it. */
export interface Order {
  readonly what: string;
  readonly customer: string;
  readonly phone: string;
  readonly address: string;
  readonly pin: string;
}

/** A remedy of the inbox: its key, and the words of its button. */
export interface Remedy {
  readonly key: string;
  readonly button: string;
}

/** The steps of a dispatcher's day, by one kind of means. */
export interface Hands {
  signIn(login: { readonly email: string; readonly password: string }): Promise<void>;
  create(order: Order): Promise<void>;
  /** Gives a task that nobody has to a courier. */
  give(customer: string, courier: string): Promise<void>;
  /** Has the engine look for a courier. */
  look(customer: string): Promise<void>;
  /** Gives a task that a courier has to another one. */
  reassign(customer: string, courier: string): Promise<void>;
  /** Attempts the failed task again from its panel. */
  attemptAgain(customer: string): Promise<void>;
  openInbox(): Promise<void>;
  /** Carries out the remedy of the line with these words. */
  mend(words: string, remedy: Remedy): Promise<void>;
  /** Chooses in the list of couriers that is open. */
  choose(courier: string): Promise<void>;
  /** Leaves the inbox alone: its lines come and go again. */
  letGo(): Promise<void>;
}

/** The fields of a new task, each by its label and its part of the order. */
export const FIELDS = [
  ['What', 'what'],
  ['Customer', 'customer'],
  ['Phone with country code', 'phone'],
  ['Address', 'address'],
  ['Pin', 'pin'],
] as const;

export const rowOf = (page: Page, customer: string) => page.locator('.task-row').filter({ hasText: customer });
export const panelOf = (page: Page) => page.locator('.panel');
export const lineOf = (page: Page, words: string) => page.locator('.alert').filter({ hasText: words });
export const searchOf = (page: Page) => page.getByLabel('Search tasks');
