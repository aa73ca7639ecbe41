import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const SECRET_KEY = 'sk_test_stand_in';
export const WEBHOOK_SECRET = 'whsec_stand_in';

export interface Session {
  readonly id: string;
  readonly amount_total: number;
  readonly currency: string;
  readonly metadata: Record<string, string>;
  readonly success_url: string;
  readonly name: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  intent: { readonly id: string; status: string } | null;
}

export interface StripeRefund {
  readonly id: string;
  readonly amount: number;
  readonly payment_intent: string;
  readonly metadata: Record<string, string>;
  status: 'pending' | 'succeeded' | 'failed';
  failure_reason?: string;
}

/** How a request is answered instead: before or after it was carried out. */
export type Mishap =
  | 'refused-connection'
  | 'hang'
  | 'hang-after'
  | 'cut-after'
  | 'garbage'
  | 'no-fields'
  | 'no-refunds'
  | 'error-500'
  | 'error-500-kept'
  | 'error-500-after'
  | 'rate-limit'
  | 'locked';

export interface StripeServer {
  readonly url: string;
  readonly sessions: Map<string, Session>;
  readonly refunds: Map<string, StripeRefund>;
  /** `POST /v1/refunds`, in the order in which they came. */
  readonly requests: string[];
  /** Each befalls one of the requests to come that match it. */
  readonly mishaps: { readonly request: RegExp; readonly mishap: Mishap }[];
  /** Refunds are made at once, or later by the test. */
  refundStatus: StripeRefund['status'];
  /** The customer pays by card. */
  pay(sessionId: string): Session;
  /** A person refunds in Stripe's dashboard; the full amount unless `amount` says less. */
  giveBack(sessionId: string, amount?: number): StripeRefund;
  /** Events whose callbacks were not taken, the oldest first. */
  readonly missed: MissedEvent[];
  /** Forgets the keys of idempotency, as Stripe does after a day. */
  forgetKeys(): void;
  stop(): Promise<void>;
}

export interface MissedEvent {
  readonly type: string;
  /** In seconds; now where it is left out. */
  readonly created?: number;
  readonly data: { readonly object: object };
}

/** The faults of a request, in Stripe's words. */
class StripeRefusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string;

  constructor(status: number, code: string, type = 'invalid_request_error') {
    super(code);
    this.status = status;
    this.code = code;
    this.type = type;
  }
}

const SESSION_FIELDS =
  /^(mode|success_url|cancel_url|client_reference_id|metadata\[(organizationId|paymentId|mark)\]|payment_intent_data\[metadata\]\[(organizationId|paymentId|mark)\]|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\])$/;
const REFUND_FIELDS = /^(payment_intent|metadata\[(organizationId|paymentId|mark|attempt)\])$/;

interface Answer {
  readonly status: number;
  /** It was given before, to the same key. */
  readonly isReplayed?: boolean;
  readonly body: string;
}

/** The books of Stripe. */
class Books {
  readonly sessions = new Map<string, Session>();
  readonly refunds = new Map<string, StripeRefund>();
  readonly missed: MissedEvent[] = [];
  /** Answers by the keys under which they were asked for. */
  readonly kept = new Map<string, Answer & { readonly request: string }>();
  refundStatus: StripeRefund['status'] = 'succeeded';

  answer(method: string, path: string, form: URLSearchParams, query: URLSearchParams): Answer {
    try {
      return { status: 200, body: JSON.stringify(this.#carryOut(method, path, form, query)) };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return refused(error);
    }
  }

  #carryOut(method: string, path: string, form: URLSearchParams, query: URLSearchParams): object {
    const { sessions, refunds } = this;
    const [, collection, id, action] =
      /^\/v1\/(checkout\/sessions|refunds|payment_intents|events)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? [];
    if (collection === 'checkout/sessions') {
      if (method === 'POST' && !id) return shownSession(makeSession(sessions, form), false);
      const session = sessions.get(id ?? '');
      if (!session) throw new StripeRefusal(404, 'resource_missing');
      if (method === 'GET' && !action) return shownSession(session, query.get('expand[0]') === 'payment_intent');
      if (method === 'POST' && action === 'expire') return shownSession(expire(session), false);
    }
    if (collection === 'refunds') {
      if (method === 'POST' && !id) return makeRefund(sessions, refunds, form, this.refundStatus);
      const intent = query.get('payment_intent');
      if (method === 'GET' && !id && intent)
        return { object: 'list', data: [...refunds.values()].filter((one) => one.payment_intent === intent).reverse() };
    }
    if (collection === 'payment_intents' && method === 'GET') {
      const paid = [...sessions.values()].find(({ intent }) => intent?.id === id);
      if (paid) return shownIntent(paid);
    }
    if (collection === 'events' && query.get('delivery_success') === 'false')
      return { object: 'list', url: path, ...missedEvents(this.missed, query) };
    throw new StripeRefusal(404, 'resource_missing');
  }
}

/** The newest of those that are asked for, the newest first, from behind the one that the query names. */
function missedEvents(missed: readonly MissedEvent[], query: URLSearchParams) {
  const types = new Set([...query].flatMap(([name, value]) => (/^types\[\d+\]$/.test(name) ? [value] : [])));
  const since = Number(query.get('created[gte]') ?? 0);
  const asked = missed
    .map((event, index) => ({ id: `evt_${index}`, ...event }))
    .filter(({ type, created = Date.now() / 1_000 }) => created >= since && types.has(type))
    .toReversed();
  const after = query.get('starting_after');
  const begin = after === null ? 0 : asked.findIndex(({ id }) => id === after) + 1;
  const end = begin + Number(query.get('limit') ?? 10);
  return { data: asked.slice(begin, end), has_more: end < asked.length };
}

/** The answer, instead of carrying out the request. */
const INSTEAD: Readonly<Partial<Record<Mishap, Answer>>> = {
  garbage: { status: 200, body: '<html>not what was asked for' },
  'no-fields': { status: 200, body: '{"object":"checkout.session"}' },
  'no-refunds': { status: 200, body: '{"object":"list","data":[]}' },
  'rate-limit': { status: 429, body: '{"error":{"type":"rate_limit_error","code":"rate_limit"}}' },
  locked: { status: 409, body: '{"error":{"type":"idempotency_error","code":"idempotency_key_in_use"}}' },
  'error-500': { status: 500, body: '{"error":{"type":"api_error","message":"oops"}}' },
};
const OTHER_PARAMETERS: Answer = { status: 400, body: '{"error":{"type":"idempotency_error"}}' };

function refused({ status, type, code }: StripeRefusal): Answer {
  return { status, body: JSON.stringify({ error: { type, code, message: code } }) };
}

/** The answer, the one of before under the same key; undefined: nothing is ever answered. */
function judge(books: Books, incoming: IncomingMessage, text: string, mishap: Mishap | undefined): Answer | undefined {
  const problem = formProblem(incoming, text);
  if (problem) return refused(problem);
  if (mishap === 'hang') return undefined;
  if (mishap && INSTEAD[mishap]) return INSTEAD[mishap];
  const { pathname, searchParams } = new URL(incoming.url!, 'http://stripe');
  const key = incoming.headers['idempotency-key'] as string | undefined;
  const request = `${incoming.method} ${pathname} ${text}`;
  const before = key === undefined ? undefined : books.kept.get(key);
  if (before && before.request !== request) return OTHER_PARAMETERS;
  if (before) return { ...before, isReplayed: true };
  if (mishap === 'error-500-kept') return keep(books, key!, request, INSTEAD['error-500']!);
  const made = books.answer(incoming.method!, pathname, new URLSearchParams(text), searchParams);
  const given = mishap === 'error-500-after' ? INSTEAD['error-500']! : made;
  if (key !== undefined) keep(books, key, request, given);
  return mishap === 'hang-after' ? undefined : given;
}

function keep(books: Books, key: string, request: string, answer: Answer): Answer {
  books.kept.set(key, { request, ...answer });
  return answer;
}

/**
 * As much of Stripe's API as is used, and strict about it: form-encoded bodies with known fields alone, the key, keys of
 * idempotency that remember answers, errors among them, and amounts in Stripe's own units.
 */
export async function startStripeServer(): Promise<StripeServer> {
  const books = new Books();
  const requests: string[] = [];
  const mishaps: StripeServer['mishaps'] = [];

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = `${incoming.method} ${incoming.url!.split('?')[0]}`;
    requests.push(request);
    const at = mishaps.findIndex((one) => one.request.test(request));
    const mishap = at < 0 ? undefined : mishaps.splice(at, 1)[0]!.mishap;
    if (mishap === 'refused-connection') return void incoming.socket.destroy();
    const answer = judge(books, incoming, Buffer.concat(chunks).toString(), mishap);
    if (mishap === 'cut-after') return void incoming.socket.destroy();
    if (!answer) return;
    const replayed = answer.isReplayed ? { 'idempotent-replayed': 'true' } : {};
    const headers = { 'content-type': 'application/json', 'request-id': 'req_1', ...replayed };
    outgoing.writeHead(answer.status, headers).end(answer.body);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error) => outgoing.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions: books.sessions,
    refunds: books.refunds,
    requests,
    mishaps,
    get refundStatus() {
      return books.refundStatus;
    },
    set refundStatus(status) {
      books.refundStatus = status;
    },
    pay(sessionId) {
      const session = books.sessions.get(sessionId)!;
      session.status = 'complete';
      session.payment_status = 'paid';
      session.intent = { id: `pi_${sessionId.slice(3)}`, status: 'succeeded' };
      return session;
    },
    giveBack(sessionId, amount) {
      const session = books.sessions.get(sessionId)!;
      return addRefund(books.refunds, session, {}, 'succeeded', amount);
    },
    missed: books.missed,
    forgetKeys: () => books.kept.clear(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function formProblem(incoming: IncomingMessage, text: string): StripeRefusal | undefined {
  if (incoming.headers.authorization !== `Bearer ${SECRET_KEY}`) return new StripeRefusal(401, 'invalid_api_key');
  if (incoming.method !== 'POST') return undefined;
  if (incoming.headers['content-type'] !== 'application/x-www-form-urlencoded')
    return new StripeRefusal(400, 'not_form_encoded');
  if (!incoming.headers['idempotency-key']) return new StripeRefusal(400, 'no_idempotency_key');
  const known = incoming.url!.endsWith('/refunds') ? REFUND_FIELDS : SESSION_FIELDS;
  const unknown = [...new URLSearchParams(text).keys()].find((field) => !known.test(field));
  return unknown === undefined ? undefined : new StripeRefusal(400, `parameter_unknown ${unknown}`);
}

function makeSession(sessions: Map<string, Session>, form: URLSearchParams): Session {
  const amount = Number(form.get('line_items[0][price_data][unit_amount]'));
  const currency = form.get('line_items[0][price_data][currency]') ?? '';
  const name = form.get('line_items[0][price_data][product_data][name]') ?? '';
  const success_url = form.get('success_url') ?? '';
  if (form.get('mode') !== 'payment' || name === '') throw new StripeRefusal(400, 'parameter_missing');
  if (!/^https?:\/\//.test(success_url) || !form.get('cancel_url')) throw new StripeRefusal(400, 'url_invalid');
  if (!/^[a-z]{3}$/.test(currency)) throw new StripeRefusal(400, 'invalid_currency');
  if (!Number.isSafeInteger(amount) || amount > 99_999_999) throw new StripeRefusal(400, 'amount_too_large');
  if (amount < 50) throw new StripeRefusal(400, 'amount_too_small');
  if (/^(isk|ugx)$/.test(currency) && amount % 100 !== 0) throw new StripeRefusal(400, 'invalid_amount');
  if (/^(bhd|jod|kwd|omr|tnd)$/.test(currency) && amount % 10 !== 0) throw new StripeRefusal(400, 'invalid_amount');
  const id = `cs_${sessions.size + 1}`;
  const metadata = metadataIn(form);
  const session: Session = {
    ...{ id, amount_total: amount, currency, name, metadata, success_url },
    ...{ status: 'open', payment_status: 'unpaid', intent: null },
  };
  sessions.set(id, session);
  return session;
}

function metadataIn(form: URLSearchParams): Record<string, string> {
  const fields = [...form].flatMap(([field, value]) => {
    const name = /^metadata\[(\w+)\]$/.exec(field)?.[1];
    return name ? [[name, value] as const] : [];
  });
  return Object.fromEntries(fields);
}

function expire(session: Session): Session {
  if (session.status !== 'open') throw new StripeRefusal(400, 'checkout_session_not_open');
  session.status = 'expired';
  return session;
}

function makeRefund(
  sessions: Map<string, Session>,
  refunds: Map<string, StripeRefund>,
  form: URLSearchParams,
  status: StripeRefund['status'],
): StripeRefund {
  const payment_intent = form.get('payment_intent') ?? '';
  const session = [...sessions.values()].find(({ intent }) => intent?.id === payment_intent);
  if (session?.payment_status !== 'paid') throw new StripeRefusal(400, 'payment_intent_unexpected_state');
  return addRefund(refunds, session, metadataIn(form), status);
}

function addRefund(
  refunds: Map<string, StripeRefund>,
  { intent, amount_total }: Session,
  metadata: Record<string, string>,
  status: StripeRefund['status'],
  amount?: number,
): StripeRefund {
  const payment_intent = intent!.id;
  const made = [...refunds.values()].filter((one) => one.payment_intent === payment_intent && one.status !== 'failed');
  const left = amount_total - made.reduce((sum, one) => sum + one.amount, 0);
  if (left <= 0) throw new StripeRefusal(400, 'charge_already_refunded');
  const refund = { id: `re_${refunds.size + 1}`, amount: amount ?? left, payment_intent, metadata, status };
  refunds.set(refund.id, refund);
  return refund;
}

function shownIntent({ intent, amount_total, currency, metadata }: Session): object {
  return { object: 'payment_intent', id: intent!.id, amount_received: amount_total, currency, metadata };
}

/** A session as the API shows it; callbacks never expand its payment. */
export function shownSession({ intent, name: _, ...session }: Session, isExpanded: boolean): object {
  const url = session.status === 'open' ? `https://checkout.stripe.test/${session.id}` : null;
  return { object: 'checkout.session', ...session, url, payment_intent: isExpanded ? intent : (intent?.id ?? null) };
}

/** An event as Stripe sends it: its bytes, and the header that vouches for them. */
export function stripeEvent(type: string, object: object, secondsFromNow = 0, secret = WEBHOOK_SECRET) {
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } }));
  const timestamp = Math.floor(Date.now() / 1_000) + secondsFromNow;
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return { body, headers: { 'stripe-signature': `t=${timestamp},v1=${digest}` } };
}
