import type { ExceptionKind } from '../live/protocol.ts';

const tasks = (count: number) => (count === 1 ? '1 task' : `${count.toLocaleString('en')} tasks`);

/** The texts of the inbox of what does not go as planned. */
export const attention = {
  title: 'Attention',
  label: 'What needs you, the most urgent first',
  filter: 'Kinds',
  all: 'All',
  kinds: {
    late: 'Late',
    nobody: 'Nobody found',
    'lost-courier': 'Out of reach',
    'left-courier': 'Off duty with tasks',
    'at-risk': 'At risk',
    failed: 'Failed',
    webhook: 'Webhook off',
  } satisfies Readonly<Record<ExceptionKind | 'webhook', string>>,
  why: {
    lateWith: (courier: string) => `${courier} has it`,
    lateWithout: 'No courier has it',
    comingLate: (eta: string, due: string) => `Expected ${eta}, due ${due}`,
    notSetOut: (courier: string | null, due: string) =>
      courier === null ? `No courier has it, due ${due}` : `${courier} has not set out, due ${due}`,
    lost: (count: number) => `No fresh position, and ${tasks(count)} to bring`,
    neverHeard: (count: number) => `On duty without a position, and ${tasks(count)} to bring`,
    left: (count: number) => `Off duty, with ${tasks(count)} to bring`,
    noReason: 'No reason given',
    failing: 'Nothing but failures for days',
    gone: 'Its address says that it is gone for good',
  },
  remedies: {
    search: 'Look for a courier',
    takeBack: 'Take back and look',
    reassign: 'Reassign',
    reattempt: 'Attempt again',
    enable: 'Switch on again',
  },
  done: {
    search: (code: string) => `The search for a courier of ${code} begins.`,
    takeBack: (count: number) => `${tasks(count)} taken back. The search for another courier begins.`,
    reattempt: (code: string) => `The next attempt is ${code}.`,
    enable: 'The webhook gets events again. Replay what it missed.',
    partly: (done: number, failed: number, why: string) =>
      `${tasks(done)} taken back, ${failed.toLocaleString('en')} not: ${why}`,
  },
  call: 'Call',
  callName: (name: string) => `Call ${name}`,
  justNow: 'just now',
  since: (span: string) => `for ${span}`,
  ago: (span: string) => `${span} ago`,
  left: (span: string) => `due in ${span}`,
  resolved: 'Mended',
  waiting: (count: number) => `${count.toLocaleString('en')} new`,
  more: (count: number) => `and ${count.toLocaleString('en')} more`,
  emptyTitle: 'Nothing needs you',
  empty:
    'Late tasks, searches without a courier, couriers out of reach and failed attempts stand here until they are mended.',
  noneOfKind: 'No item of this kind.',
  webhooksFailed: (why: string) => `The webhooks could not be read: ${why}`,
};
