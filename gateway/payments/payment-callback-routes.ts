import * as v from 'valibot';
import { errorBody, refusalBody } from '../../engine/views/parts/error-body.ts';
import { named } from '../../schema/fields/named.ts';
import { LIMITS } from '../../schema/limits.ts';
import { PAYMENT_PROVIDERS, type ProviderName } from '../../schema/money/payment.ts';
import type { Header } from '../http/port.ts';
import { type RawRoute, rawRoute } from '../route.ts';
import type { Payments } from './open-payments.ts';

const JSON_TYPE: Header = ['Content-Type', 'application/json; charset=utf-8'];
/** A sender that cannot sign learns nothing, not even the reason. */
const UNTRUSTED = errorBody(400, 'Bad Request');

/** The calls by which payment providers report outcomes. Source: docs/contract.md §7. */
export function paymentCallbackRoutes(payments: Payments): RawRoute[] {
  return PAYMENT_PROVIDERS.map((name) => callbackRoute(payments, name));
}

const receivedView = named('CallbackReceived', v.object({ received: v.literal(true) }));

function callbackRoute(payments: Payments, name: ProviderName): RawRoute {
  return rawRoute({
    method: 'POST',
    path: `/payments/callbacks/${name}`,
    place: 'api',
    bare: true,
    guard: { kind: 'public' },
    body: { maxBytes: LIMITS.callbackBytes, media: 'application/json' },
    summary: `For the payment provider ${name}: a signed report about payments; the provider repeats it unless the answer is 200`,
    answers: 'application/json',
    data: receivedView,
    refusals: ['400 Bad Request', '503 NOT_APPLIED, OUTCOME_UNKNOWN, OVERLOADED, NOT_OWNER, UNAVAILABLE'],
    async handle({ identity, origin, body, replyHeaders }, reply, incoming) {
      const callback = { body: body, header: (header: string) => incoming.header(header) };
      const outcome = await payments.takeCallback(name, callback, { ...identity.caller, origin });
      const headers = [JSON_TYPE, ...replyHeaders];
      if (outcome === 'taken') return reply.send(200, headers, '{"received":true}');
      if (outcome === 'untrusted') return reply.send(400, headers, UNTRUSTED);
      const { status, body: text } = refusalBody(outcome);
      reply.send(status, [...headers, ['Retry-After', '1']], text);
    },
  });
}
