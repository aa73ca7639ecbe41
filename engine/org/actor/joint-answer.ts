import type { Answer, Command, RequestFacts } from '../../../schema/commands.ts';
import type { Refusal } from '../../../schema/errors.ts';
import { decidedBody } from '../../views/parts/error-body.ts';
import { type DecideTools, keepOutcome, openBatchAt, tellPutOff } from '../apply/apply-decision.ts';
import { JointNews } from '../apply/joint-news.ts';
import type { OrgBatch } from '../apply/org-batch.ts';

/** The result of one item of many: the JSON of its task, or the body of its error. */
export interface ItemResult {
  readonly ok: boolean;
  readonly json: string;
}

export interface JointTools extends DecideTools {
  readonly joint: JointNews;
  readonly opened: () => boolean;
}

/** Tools that put everything into one batch, however full: an answer that is true only in part would look like one that is not. */
export function inOneCommit(tools: DecideTools): JointTools {
  let batch: OrgBatch | undefined;
  return {
    ...tools,
    joint: new JointNews(tools.state),
    openBatch() {
      batch ??= tools.openBatch();
      return batch;
    },
    opened: () => batch !== undefined,
  };
}

export function failedItem(why: Refusal, facts: RequestFacts): ItemResult {
  return { ok: false, json: decidedBody(why, facts).body };
}

/** Tells what its parts have put off. The answer to a command about many, kept under its key. */
export function answerJointly(
  tools: JointTools,
  command: Pick<Command, 'idempotency' | 'caller'>,
  data: string,
  now: string,
): Answer {
  const { idempotency } = command;
  if (tools.opened()) tellPutOff(tools, openBatchAt(tools, now), command, tools.joint);
  if (idempotency) {
    const batch = openBatchAt(tools, now);
    batch.nextDeadlineAt = tools.state.nextDeadlineAt;
    keepOutcome(tools, batch, idempotency, { status: 200, body: data, toldAt: null });
  }
  return { ok: true, status: 200, data, sequence: tools.state.lastSequence };
}
