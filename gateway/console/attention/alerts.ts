import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { askForCourier } from '../actions/dialog-state.ts';
import type { Answer, ApiCall, Exception, ExceptionKind } from '../live/protocol.ts';
import { timeOf } from '../page/format.ts';
import { text } from '../text/english.ts';
import { attention } from '../text/english-attention.ts';
import { attemptAgain, enableWebhook, type Outcome, searchAgain, takeBack } from './remedies.ts';

export type AlertKind = ExceptionKind | 'webhook';

export interface Remedy {
  readonly name: keyof typeof attention.remedies;
  /** The one key that carries it out. */
  readonly key: string;
  /** Undefined when a question comes first, whose answer carries it out. */
  readonly run: () => Promise<Outcome | undefined>;
}

/** An exception as a line of the inbox. */
export interface Alert {
  readonly key: string;
  readonly kind: AlertKind;
  readonly sinceMs: number | null;
  readonly title: string;
  readonly code: string | null;
  readonly why: string;
  readonly taskId: number | null;
  readonly agentId: number | null;
  readonly courier: string | null;
  /** Undefined where nothing helps at one touch, or the caller may not do it. */
  readonly remedy: Remedy | undefined;
}

interface Means {
  readonly ask: <T>(call: ApiCall) => Promise<Answer<T>>;
  readonly may: (permission: string) => boolean;
}

const KEYS: Readonly<Record<Remedy['name'], string>> = {
  search: 'f',
  takeBack: 'u',
  reassign: 'r',
  reattempt: 'y',
  enable: 'o',
};

export function alertOf(exception: Exception, means: Means): Alert {
  const { key, kind, sinceMs, task, agentId, courier } = exception;
  return {
    key,
    kind,
    sinceMs,
    title: task ? task.customer || task.name : (courier ?? ''),
    code: task?.code ?? null,
    why: whyOf(exception),
    taskId: task?.id ?? null,
    agentId,
    courier,
    remedy: remedyOf(exception, means),
  };
}

/** Undefined for a webhook that works, or that somebody has switched off. */
export function webhookAlert(webhook: WebhookView, { ask, may }: Means): Alert | undefined {
  const { id, status, disabledReason, disabledAt, url, description } = webhook;
  if (status !== 'disabled' || disabledReason === null) return undefined;
  return {
    key: `webhook-${id}`,
    kind: 'webhook',
    sinceMs: disabledAt === null ? null : Date.parse(disabledAt),
    title: description || url,
    code: description ? url : null,
    why: attention.why[disabledReason],
    taskId: null,
    agentId: null,
    courier: null,
    remedy: may('webhooks') ? { name: 'enable', key: KEYS.enable, run: () => enableWebhook(ask, id) } : undefined,
  };
}

function whyOf({ kind, task, courier, reason, sinceMs, taskIds }: Exception): string {
  const { why } = attention;
  const due = task ? timeOf(task.dueAtMs) : '';
  switch (kind) {
    case 'late':
      if (reason !== null) return text.search[reason] ?? reason;
      return courier === null ? why.lateWithout : why.lateWith(courier);
    case 'nobody':
      return reason === null ? why.lateWithout : (text.search[reason] ?? reason);
    case 'at-risk': {
      const isComingLate = task?.etaAtMs != null && task.etaAtMs > task.dueAtMs;
      return isComingLate ? why.comingLate(timeOf(task.etaAtMs!), due) : why.notSetOut(courier, due);
    }
    case 'failed':
      return reason ?? why.noReason;
    case 'lost-courier':
      return sinceMs === null ? why.neverHeard(taskIds.length) : why.lost(taskIds.length);
    case 'left-courier':
      return why.left(taskIds.length);
  }
}

function remedyOf({ kind, task, taskIds }: Exception, { ask, may }: Means): Remedy | undefined {
  if (kind === 'failed') {
    if (!may('tasks:exceptions')) return undefined;
    return { name: 'reattempt', key: KEYS.reattempt, run: () => attemptAgain(ask, task!.id) };
  }
  if (!may('tasks:assign')) return undefined;
  const isUnassigned = task?.status === 'new' || task?.status === 'awaiting_assignment';
  if (isUnassigned) return { name: 'search', key: KEYS.search, run: () => searchAgain(ask, task) };
  if (taskIds.length === 0) return undefined;
  // The packages are with the courier: another one meets it, and the dispatcher says which.
  if (task?.status === 'in_transit') {
    return may('tasks:exceptions')
      ? { name: 'reassign', key: KEYS.reassign, run: () => chooseCourier(task.id) }
      : undefined;
  }
  return { name: 'takeBack', key: KEYS.takeBack, run: () => takeBack(ask, taskIds) };
}

async function chooseCourier(taskId: number): Promise<undefined> {
  askForCourier([taskId]);
}
