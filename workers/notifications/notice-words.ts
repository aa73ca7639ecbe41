import { LIMITS } from '../../schema/limits.ts';
import type { PushKind } from '../../schema/notices/notification.ts';
import { type NoticeFacts, type Push, windowText } from './notice.ts';
import { isolated, oneLine } from './one-line.ts';

interface PushWords {
  readonly title: (code: string) => string;
  readonly urgency: Push['urgency'];
}

/** Urgent is what a courier acts upon at once: it wakes a device that sleeps. */
const WORDS: Readonly<Record<PushKind, PushWords>> = {
  task_cancelled: { title: (code) => `Task ${code} was cancelled`, urgency: 'high' },
  task_offered: { title: (code) => `Task ${code} is offered to you`, urgency: 'high' },
  task_assigned: { title: (code) => `Task ${code} is yours`, urgency: 'normal' },
  task_amended: { title: (code) => `Task ${code} has changed`, urgency: 'high' },
  task_unassigned: { title: (code) => `Task ${code} is no longer yours`, urgency: 'high' },
};

/** The text on a courier's device. It says nothing about the customer: any passer-by may read it. */
export function pushOf(facts: NoticeFacts & { readonly kind: PushKind }, noticeId: string, ttlSeconds: number): Push {
  const { kind, task } = facts;
  const { title, urgency } = WORDS[kind];
  const code = oneLine(task.code, LIMITS.pushTitleChars / 2);
  const lines = [oneLine(task.name, LIMITS.pushBodyChars / 3), oneLine(task.address ?? '', LIMITS.pushBodyChars / 3)];
  return {
    noticeId,
    title: title(isolated(code)),
    body: [...lines, windowText(facts) ?? ''].filter(Boolean).join('\n'),
    data: { noticeId, kind, taskId: String(task.id), taskCode: task.code },
    ttlSeconds: Math.min(ttlSeconds, LIMITS.pushTtlSeconds),
    urgency,
    // A later notice of a task takes the place of an earlier one.
    collapseKey: `task-${task.id}`,
  };
}
