import type { Engine } from '../../engine/org/start-engine.ts';
import type { Answer } from '../../schema/commands.ts';
import { formatPosition } from '../../schema/events.ts';
import type { RouteAnswer } from '../route.ts';

/** What the engine decided, as a route tells it. */
export function engineAnswer(engine: Engine, answer: Answer, message: string): RouteAnswer {
  const replayed = answer.replayed === true;
  if (!answer.ok) return { refusal: answer.refusal, replayed };
  const { status, data, sequence } = answer;
  return { status, message, data, replayed, position: formatPosition(engine.history, sequence) };
}
