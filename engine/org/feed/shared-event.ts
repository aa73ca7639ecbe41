import { formatPosition, type LoggedEvent } from '../../../schema/events.ts';
import type { PaymentMethod } from '../../../schema/money/payment.ts';

/** The records that an event is about; null where it is about none. */
export interface EventSubject {
  readonly taskId: number | null;
  /** The agents that have the task, lost it, are asked to take it, or took its cash. */
  readonly agentIds: readonly number[];
  /** For a payment, the agent who took it in cash; null when it was paid otherwise. */
  readonly payment: { readonly cashOf: number | null } | null;
}

/** A committed event on its way to many readers. */
export class SharedEvent {
  readonly event: LoggedEvent;
  readonly #history: string;
  #subject: EventSubject | undefined;

  constructor(event: LoggedEvent, history: string) {
    this.event = event;
    this.#history = history;
  }

  get sequence(): number {
    return this.event.sequence;
  }

  /** The event in the form of a server-sent event stream. */
  get frame(): string {
    const { sequence, type, body } = this.event;
    return `id: ${formatPosition(this.#history, sequence)}\nevent: ${type}\ndata: ${body}\n\n`;
  }

  /** Read from the event once, when the first filter asks. */
  get subject(): EventSubject {
    this.#subject ??= subjectOf(this.event.body);
    return this.#subject;
  }
}

function subjectOf(body: string): EventSubject {
  const { data } = JSON.parse(body) as {
    readonly data: {
      readonly task?: { readonly id: number; readonly agentId: number | null };
      readonly assignmentRequest?: { readonly taskId: number; readonly agentId: number };
      readonly agent?: { readonly id: number };
      readonly payment?: { readonly method: PaymentMethod; readonly agentId: number | null };
      readonly previousAgentId?: number | null;
    };
  };
  const { task, assignmentRequest: request, agent, payment, previousAgentId } = data;
  const taken = payment ? { cashOf: payment.method === 'cash' ? payment.agentId : null } : null;
  const named = [agent?.id, task?.agentId, previousAgentId, request?.agentId, taken?.cashOf];
  const agentIds = named.filter((id) => id != null);
  return { taskId: task?.id ?? request?.taskId ?? null, agentIds, payment: taken };
}
