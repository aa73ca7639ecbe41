import type { Answer, Caller, NoteArrival, NoteEta } from '../../../schema/commands.ts';
import { ERRORS } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Log } from '../../runtime/log.ts';

export interface NoteSenderOptions {
  /** The engine's; never rejects. */
  readonly ask: (organizationId: number, command: NoteArrival | NoteEta) => Promise<Answer>;
  readonly log: Log;
}

export const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

/** Sends what was noticed to the actors, some at a time: LIMITS.arrivalCommands of a process are on their way at most. */
export class NoteSender {
  readonly #options: NoteSenderOptions;
  #underWay = 0;

  constructor(options: NoteSenderOptions) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#underWay < LIMITS.arrivalCommands;
  }

  /** Only where there is room. Asking again is useless once it is settled: it was accepted, or refused for good. */
  send(organizationId: number, command: NoteArrival | NoteEta, onAnswered: (isSettled: boolean) => void): void {
    this.#underWay += 1;
    void this.#options.ask(organizationId, command).then((answer) => {
      this.#underWay -= 1;
      onAnswered(this.#isSettled(organizationId, command, answer));
    });
  }

  #isSettled(organizationId: number, { taskId }: NoteArrival | NoteEta, answer: Answer): boolean {
    if (answer.ok) return true;
    const { code } = answer.refusal;
    if (ERRORS[code].status === 500) {
      this.#options.log.error({ organizationId, taskId, code }, 'an arrival or ETA could not be noted');
    }
    return ERRORS[code].status !== 503;
  }
}
