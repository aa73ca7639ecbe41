import { type Clock, isoTime } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { RandomSource } from '../../engine/runtime/random.ts';
import { isStoreAway } from '../../engine/store/postgres.ts';
import { decidedBody, errorBody, refusalBody, validationBody } from '../../engine/views/parts/error-body.ts';
import { etagOf } from '../../engine/views/parts/etag.ts';
import { withoutTrackingLinks } from '../../engine/views/parts/tracking-url.ts';
import type { Origin, RequestFacts } from '../../schema/commands.ts';
import { ERRORS, notFound, type Refusal, refusal } from '../../schema/errors.ts';
import { idempotencyKey, isIdempotencyKey, scopeOf } from '../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Authentication } from '../guards/authenticate.ts';
import type { Access } from '../guards/open-access.ts';
import type { Draw } from '../guards/quotas.ts';
import { type AnswerObserver, BodyTooLarge, type Header, type IncomingRequest, type Reply } from '../http/port.ts';
import { dataOfPage, listMarkOf } from '../list-cursor.ts';
import { RefusalError } from '../refusal-error.ts';
import {
  type ApiRoute,
  FORM_MEDIA,
  type Identity,
  type ParsedRequest,
  type RawRoute,
  type Route,
  type RouteAnswer,
  takesForm,
} from '../route.ts';
import { canonicalPath, type Router } from '../router.ts';
import { correlationIdOf, ReadOrigin } from './correlation.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OtherOrigins } from './other-origins.ts';
import { parseQuery } from './parse-query.ts';
import {
  entityTagsOf,
  isFormMedia,
  isJsonMedia,
  isKnownTag,
  type Parsed,
  parseBodyOf,
  parseJson,
  parseParams,
} from './parse-request.ts';
import type { RequestMetrics, RouteMetrics } from './request-metrics.ts';
import { successBody } from './success-body.ts';

export interface HandlingServices {
  readonly router: Router;
  readonly access: Pick<Access, 'isSecure' | 'addressOf' | 'authenticate' | 'generation' | 'quotas'>;
  readonly metrics: RequestMetrics;
  /** Undefined: pages of other origins get nothing. */
  readonly otherOrigins: OtherOrigins | undefined;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

/** A refusal before the handler runs: a finished body with its status. */
interface Refused {
  readonly status: number;
  readonly body: string;
  readonly headers?: readonly Header[];
  /** Closes the connection, because the rest of the request is not read. */
  readonly close?: boolean;
}

const RETRY_SOON: Header = ['Retry-After', '1'];

/**
 * Handles a request, in the order of refusal of docs/contract.md §1:
 * HTTPS → path 404, method 405 → credential 401 → organization, channel, permission 403 → rate limit 429 → size 413,
 * media 415, JSON 400 → validation 400 → the handler (404, 409, 422 … by code) → the envelope.
 */
export class RequestHandler {
  readonly #services: HandlingServices;

  constructor(services: HandlingServices) {
    this.#services = services;
  }

  readonly handle = (incoming: IncomingRequest, reply: Reply): void | Promise<void> => {
    const { router, access, clock, random, otherOrigins } = this.#services;
    const startedAt = clock.monotonic();
    const facts: RequestFacts = {
      correlationId: correlationIdOf(incoming, random),
      canonicalPath: canonicalPath(incoming.path, incoming.query),
      method: incoming.method,
    };
    const match = router.match(incoming.method, incoming.path);
    const route = match.kind === 'found' ? match.route : undefined;
    const handled = new HandledRequest(this.#services, incoming, reply, facts, route, startedAt);
    if (match.kind === 'found' && match.route.guard.kind === 'operational')
      return handled.serve(match.route, match.params);
    if (match.kind === 'wrong-method' && incoming.method === 'OPTIONS' && otherOrigins)
      return handled.answerOptions(otherOrigins.headersOfOptions(incoming, match.allow), match.allow);
    if (!access.isSecure(incoming)) return handled.refuseNobody(refusalBody(refusal('HTTPS_REQUIRED')));
    if (match.kind === 'unknown') return handled.refuseNobody(plain(404, `Cannot ${incoming.method} ${incoming.path}`));
    if (match.kind === 'wrong-method') {
      return handled.refuseNobody({
        ...plain(405, `Method ${incoming.method} is not allowed here`),
        headers: [['Allow', match.allow]],
      });
    }
    return handled.serve(match.route, match.params);
  };
}

const TOO_LARGE: Refused = { ...plain(413, 'The body is too large'), close: true };

function plain(status: number, message: string): Refused {
  return { status, body: errorBody(status, message) };
}

/** One request and its response. */
class HandledRequest implements AnswerObserver {
  readonly #services: HandlingServices;
  readonly #incoming: IncomingRequest;
  readonly #reply: Reply;
  readonly #facts: RequestFacts;
  readonly #startedAt: number;
  readonly #origin: Origin;
  /** The rate limit headers of every response. */
  #quotaHeaders: readonly Header[] = [];
  #routeHeaders: readonly Header[] = [];
  readonly #metrics: RouteMetrics;

  constructor(
    services: HandlingServices,
    incoming: IncomingRequest,
    reply: Reply,
    facts: RequestFacts,
    route: Route | undefined,
    startedAt: number,
  ) {
    this.#services = services;
    this.#incoming = incoming;
    this.#reply = reply;
    this.#facts = facts;
    this.#startedAt = startedAt;
    const address = () => services.access.addressOf(incoming);
    const { correlationId } = facts;
    this.#origin =
      facts.method === 'GET' ? new ReadOrigin(correlationId, address) : { correlationId, address: address() };
    this.#metrics = services.metrics.of(route);
    reply.observer = this;
  }

  answered(status: number): void {
    this.#metrics.answered(status, (this.#services.clock.monotonic() - this.#startedAt) / 1_000);
  }

  abandoned(): void {
    this.#services.metrics.abandoned();
  }

  async serve(route: Route, params: Readonly<Record<string, string>>): Promise<void> {
    if (route.kind === 'api' && route.headers) this.#routeHeaders = route.headers;
    try {
      const known = this.#services.access.authenticate(this.#incoming, route, this.#origin);
      const admission = known instanceof Promise ? undefined : this.#admit(route, known);
      if (admission && 'refused' in admission) return this.refuse(admission.refused);
      // The body must be requested in the turn of the request. For a caller that is refused at once the body is not
      // read.
      const body = this.#bodyOf(route);
      body?.catch(() => {});
      const admitted = admission ?? this.#admit(route, await known);
      if ('refused' in admitted) return this.refuse(admitted.refused);
      const generation = this.#services.access.generation();
      const bytes = body && (await body);
      const present =
        body && this.#isOld(generation)
          ? await this.#services.access.authenticate(this.#incoming, route, this.#origin)
          : admitted;
      if ('refused' in present) return this.refuse(present.refused);
      const { identity } = present;
      if (route.kind === 'raw') return await this.#serveRaw(route, params, identity, bytes);
      const parsed = this.#parse(route, params, identity, bytes);
      if ('refused' in parsed) return this.refuse(parsed.refused);
      this.#answer(route, await route.handle(parsed.request), identity, params);
    } catch (error) {
      if (this.#reply.done) return;
      if (error instanceof BodyTooLarge) this.#refuseBody();
      else if (error instanceof RefusalError) this.#refuseAs(error.refusal);
      else if (isStoreAway(error)) this.refuse(refusalBody(refusal('UNAVAILABLE')));
      else this.#fail(error);
    }
  }

  /** The access of the caller may have ended while the body was on its way; a stream that opens now hears of later changes alone. */
  #isOld(generation: number): boolean {
    const { access, clock } = this.#services;
    return access.generation() !== generation || clock.monotonic() - this.#startedAt > LIMITS.lateBodyMs;
  }

  refuse({ status, body, headers = [], close = false }: Refused): void {
    const retry = status === 503 ? [RETRY_SOON] : [];
    this.#send(status, body, [...headers, ...retry], close);
  }

  /** Answers a question about a path: a browser asks it before it lets a page of another origin send the request. */
  answerOptions(headers: readonly Header[], allow: string): void {
    this.#reply.send(204, [...this.#replyHeaders(), ['Allow', allow], ...headers], '');
  }

  /** Refuses before the caller is known. */
  refuseNobody(refused: Refused): void {
    this.#quotaHeaders = this.#services.access.quotas.drawAddress(this.#origin.address).headers;
    this.refuse(refused);
  }

  /**
   * Applies the caller's rate limit and then the result of the guards. A refused request counts against the limit too.
   */
  #admit(route: Route, authentication: Authentication): Authentication {
    if (route.guard.kind === 'operational') return authentication;
    const { quotas } = this.#services.access;
    const { identity } = authentication;
    const isKnown = identity !== undefined && route.guard.kind !== 'public';
    const draw = isKnown ? quotas.draw(identity) : quotas.drawAddress(this.#origin.address);
    this.#quotaHeaders = draw.headers;
    return 'refused' in authentication || draw.retryAfterSeconds === null ? authentication : tooMany(draw);
  }

  /** A costly request takes more once its size is known. Its answer says what that leaves. */
  #owe(identity: Identity, cost: number): void {
    this.#quotaHeaders = this.#services.access.quotas.owe(identity, cost);
  }

  async #serveRaw(
    route: RawRoute,
    params: Readonly<Record<string, string>>,
    identity: Identity,
    body: Buffer | undefined,
  ): Promise<void> {
    if (takesForm(route) && !isFormMedia(this.#incoming.header('content-type')))
      return this.refuse(plain(415, `The Content-Type must be ${FORM_MEDIA}`));
    const violations: string[] = [];
    const target = this.#parseTarget(route, params, identity, violations);
    if (violations.length > 0) return this.refuse(this.#invalid(violations));
    if (route.extraCost) this.#owe(identity, route.extraCost(target.query));
    const request: ParsedRequest = {
      identity,
      origin: this.#origin,
      params: target.ids,
      query: target.query,
      body,
      facts: this.#facts,
      idempotency: undefined,
      ifMatch: undefined,
      replyHeaders: this.#replyHeaders(),
    };
    await route.handle(request, this.#reply, this.#incoming);
  }

  /** Parses the ids of the path and the query. Adds every violation to `violations`. */
  #parseTarget(
    route: Route,
    params: Readonly<Record<string, string>>,
    identity: Identity,
    violations: string[],
  ): { readonly ids: Readonly<Record<string, number>>; readonly query: unknown } {
    const ids = route.textParams ? {} : take(parseParams(params), violations);
    return { ids, query: take(parseQuery(this.#incoming.query, route, identity, params), violations) };
  }

  #invalid(violations: readonly string[]): Refused {
    return { status: 400, body: validationBody(this.#facts, violations) };
  }

  /**
   * A route that takes no body still waits for a chunked one: a defect in it refuses the request, which must not have
   * been executed by then.
   */
  #bodyOf(route: Route): Promise<Buffer> | undefined {
    if (route.body) return this.#incoming.readBody(route.body.maxBytes, 'caller');
    const isChunked = this.#incoming.header('transfer-encoding') !== undefined;
    return isChunked ? this.#incoming.readBody(LIMITS.unreadBodyBytes, 'caller') : undefined;
  }

  /** The caller is admitted by then: 401, 403 and 429 come before 413. */
  #refuseBody(): void {
    this.#services.metrics.refused('bodyTooLarge');
    this.refuse(TOO_LARGE);
  }

  /** Only a body that cannot be read is asked for its encoding: this costs others nothing. */
  #unreadable(malformed: string): Refused {
    const isEncoded = this.#incoming.header('content-encoding') !== undefined;
    return isEncoded ? plain(415, 'The body must have no Content-Encoding') : plain(400, malformed);
  }

  #parse(
    route: ApiRoute,
    params: Readonly<Record<string, string>>,
    identity: Identity,
    bytes: Buffer | undefined,
  ): { readonly request: ParsedRequest } | { readonly refused: Refused } {
    const violations: string[] = [];
    let json: unknown;
    if (bytes && route.body) {
      const isAbsent = bytes.length === 0 && route.body.mayBeAbsent;
      if (!isAbsent && !isJsonMedia(this.#incoming.header('content-type')))
        return { refused: plain(415, 'The Content-Type must be application/json') };
      const parsed = isAbsent ? { json: {} } : parseJson(bytes);
      if ('malformed' in parsed) return { refused: this.#unreadable(parsed.malformed) };
      json = parsed.json;
    }
    const { ids, query } = this.#parseTarget(route, params, identity, violations);
    const input = route.body && (route.body.quick?.(json) ?? take(parseBodyOf(route.body, identity, json), violations));
    const key = route.method === 'GET' || route.keepsNothing ? undefined : this.#incoming.header('idempotency-key');
    if (key !== undefined && (this.#incoming.headerCount('idempotency-key') > 1 || !isIdempotencyKey(key)))
      return { refused: plain(400, 'The Idempotency-Key must be 1 to 255 printable ASCII characters') };
    if (violations.length > 0) return { refused: this.#invalid(violations) };
    const ownId = route.me && params['id'] === undefined ? identity.caller.agentId : undefined;
    if (ownId === null) return { refused: refusalBody(notFound('Agent', 'me')) };
    if (route.extraCost) this.#owe(identity, route.extraCost(input));
    const { type, id } = identity.caller;
    const idempotency =
      key === undefined
        ? undefined
        : idempotencyKey(
            scopeOf(`${type}:${id}`, route.method, this.#facts.canonicalPath),
            key,
            fingerprintOf(json ?? null),
          );
    const ifMatch = entityTagsOf(this.#incoming.header('if-match'));
    const replyHeaders = this.#replyHeaders();
    const facts = this.#facts;
    const origin = this.#origin;
    return {
      request: {
        identity,
        origin,
        params: ownId ? { ...ids, id: ownId } : ids,
        query,
        body: input,
        facts,
        idempotency,
        ifMatch,
        replyHeaders,
      },
    };
  }

  #answer(route: ApiRoute, answer: RouteAnswer, identity: Identity, params: Readonly<Record<string, string>>): void {
    const headers: Header[] = answer.replayed ? [['Idempotency-Replayed', 'true']] : [];
    if ('refusal' in answer) return this.#refuseAs(answer.refusal, headers);
    // Here, so that it holds for every route, and for an answer that was kept for repeats.
    const data = identity.role === 'agent' ? withoutTrackingLinks(answer.data) : answer.data;
    if (route.etag) {
      const etag = (data === answer.data ? answer.etag : undefined) ?? etagOf(data);
      headers.push(['ETag', etag]);
      if (route.method === 'GET' && isKnownTag(this.#incoming.header('if-none-match'), etag)) {
        this.#reply.send(304, [...headers, ...this.#replyHeaders()], '');
        return;
      }
    }
    const { clock } = this.#services;
    const { nextCursor } = answer;
    const time = { now: isoTime(clock.now()), durationMs: clock.monotonic() - this.#startedAt };
    const whole =
      nextCursor === undefined ? data : dataOfPage({ data, nextCursor }, listMarkOf(route, identity, params));
    this.#send(answer.status, successBody(this.#facts, answer, whole, time), headers);
  }

  #refuseAs(refused: Refusal, headers: Header[] = []): void {
    const { code, details } = refused;
    if (ERRORS[code].status === 429) headers.push(['Retry-After', `${details?.['retryAfterSeconds'] ?? 1}`]);
    // Another connection may lead to the owner, who can tell: behind a balancer of connections this one never does.
    const close = code === 'NOT_OWNER' || code === 'OUTCOME_UNKNOWN';
    this.refuse({ ...decidedBody(refused, this.#facts), headers, close });
  }

  #fail(error: unknown): void {
    const { correlationId, canonicalPath: path, method } = this.#facts;
    this.#services.log.error({ err: error, correlationId, path, method }, 'unhandled error while handling a request');
    this.#send(500, errorBody(500, 'Internal server error'), []);
  }

  #send(status: number, body: string, headers: readonly Header[], close = false): void {
    this.#reply.send(status, [JSON_TYPE, ...this.#replyHeaders(), ...headers], body, { close });
  }

  #replyHeaders(): Header[] {
    return [['X-Correlation-Id', this.#facts.correlationId], ...this.#quotaHeaders, ...this.#routeHeaders];
  }
}

/** Returns the parsed value. When it is wrong, adds its violations and returns undefined. */
function take<T>(parsed: Parsed<T>, violations: string[]): T {
  if ('value' in parsed) return parsed.value;
  violations.push(...parsed.violations);
  return undefined as T;
}

function tooMany({ retryAfterSeconds }: Draw): Authentication {
  const { status, body } = refusalBody(refusal('RATE_LIMITED', undefined, { retryAfterSeconds }));
  return { refused: { status, body, headers: [['Retry-After', `${retryAfterSeconds}`]] } };
}

const JSON_TYPE: Header = ['Content-Type', 'application/json; charset=utf-8'];
