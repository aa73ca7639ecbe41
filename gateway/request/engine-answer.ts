import type { Engine } from '../../engine/org/start-engine.ts';
import type { Answer } from '../../schema/commands.ts';
import { formatPosition } from '../../schema/events.ts';
import type { RouteAnswer } from '../route.ts';

/** Turns the engine's decision into the result of a route. */
export function engineAnswer(engine: Engine, answer: Answer, message: string): RouteAnswer {
  const replayed = answer.replayed === true;
  if (!answer.ok) return { refusal: answer.refusal, replayed };
  const { status, data, etag, sequence } = answer;
  return { status, message, data, etag, replayed, position: formatPosition(engine.history, sequence) };
}
