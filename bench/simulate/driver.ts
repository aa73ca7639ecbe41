import { type HttpAnswer, HttpLine, type LineUser } from '../load/http-line.ts';
import { requestHead } from '../load/http-pool.ts';
import { credentialHeader } from './simulator-api.ts';
import { kindOf, refusalKind, type Tally } from './tally.ts';
import type { Traveller } from './traveller.ts';

/** The session of an agent. */
export interface AgentSession {
  readonly agentId: number;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The end of the access token, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** Points that an app keeps while it has no answer; past it the oldest go. As many as one request may hold. */
const KEPT_POINTS = 100;
const MINUTES_PER_PERCENT = 6;
const PATH = '/api/v1/agents/me/locations';

/**
 * One driver's app: measures its position, and posts it over a connection of its own. Points that were not accepted are
 * sent again with the next ones.
 */
export class Driver implements LineUser {
  readonly traveller: Traveller;
  readonly #target: URL;
  readonly #tally: Tally;
  readonly #line: HttpLine;
  #session: AgentSession;
  #head = '';
  #points: string[] = [];
  #sent = 0;
  #sentAt = 0;
  readonly #startedAtMs = Date.now();
  /** Steps that need the session, one after another. */
  #turn: Promise<unknown> = Promise.resolve();
  #isPaused = false;
  #whenSilent: (() => void) | undefined;

  constructor(target: URL, session: AgentSession, traveller: Traveller, tally: Tally) {
    this.#target = target;
    this.#tally = tally;
    this.#line = new HttpLine(target);
    this.traveller = traveller;
    this.#session = session;
    this.#useSession(session);
  }

  get session(): AgentSession {
    return this.#session;
  }

  /** Measures, and posts all waiting points unless a post is in flight. */
  report(nowMs: number): void {
    if (this.#points.length === KEPT_POINTS) {
      this.#points.shift();
      this.#sent = Math.max(0, this.#sent - 1);
      this.#tally.points.dropped += 1;
    }
    this.#points.push(this.#measure(nowMs));
    if (!this.#line.isBusy && !this.#isPaused) this.#post();
  }

  onAnswer({ status, head, body }: HttpAnswer): void {
    const { points, posts } = this.#tally;
    posts.add(performance.now() - this.#sentAt);
    if (status === 202) {
      points.accepted += countIn(body, '"accepted":');
      points.stale += countIn(body, '"stale":');
      points.rejected += countIn(body, '"rejected":');
    } else {
      this.#tally.error(refusalKind(status, body), `${PATH}: ${body === '' ? head : body}`);
    }
    // A point that was refused for good would be refused again.
    if (status !== 429 && status !== 503) this.#points.splice(0, this.#sent);
    this.#sent = 0;
    if (this.#whenSilent) this.#whenSilent();
    else if (status === 202 && this.#points.length > 0) this.#post();
  }

  onFailure(error: Error): void {
    this.#sent = 0;
    this.#tally.error(kindOf(error), `${PATH}: ${error.message}`);
    this.#whenSilent?.();
  }

  /** Runs `step` when no other one runs; it takes the session that is valid by then. */
  inTurn<T>(step: (session: AgentSession) => Promise<T>): Promise<T> {
    const result = this.#turn.then(() => step(this.#session));
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Changes the session while no request of the old one is under way: it dies with the change. */
  renew(refresh: (session: AgentSession) => Promise<AgentSession>): Promise<void> {
    return this.inTurn(async (session) => {
      this.#isPaused = true;
      try {
        if (this.#line.isBusy) await new Promise<void>((resolve) => (this.#whenSilent = resolve));
        this.#useSession(await refresh(session));
      } finally {
        this.#whenSilent = undefined;
        this.#isPaused = false;
      }
    });
  }

  /** Connections opened beyond the first. */
  get reconnects(): number {
    return Math.max(0, this.#line.connections - 1);
  }

  close(): void {
    this.#line.close();
  }

  #useSession(session: AgentSession): void {
    this.#session = session;
    const headers = { ...credentialHeader(session.accessToken), 'content-type': 'application/json' };
    this.#head = `${requestHead('POST', PATH, this.#target, headers)}content-length: `;
  }

  #measure(nowMs: number): string {
    const { latitude, longitude, accuracy, speed, heading } = this.traveller.read();
    const minutes = (nowMs - this.#startedAtMs) / 60_000;
    const battery = Math.max(5, 100 - (this.#session.agentId % 60) - Math.floor(minutes / MINUTES_PER_PERCENT));
    return (
      `{"latitude":${latitude.toFixed(6)},"longitude":${longitude.toFixed(6)},` +
      `"recordedAt":"${new Date(nowMs).toISOString()}","accuracy":${accuracy},"speed":${speed.toFixed(1)},` +
      `"heading":${heading.toFixed(0)},"battery":${battery}}`
    );
  }

  #post(): void {
    const body = `{"points":[${this.#points.join()}]}`;
    this.#sent = this.#points.length;
    this.#sentAt = performance.now();
    this.#tally.points.sent += this.#sent;
    this.#line.send(`${this.#head}${body.length}\r\n\r\n${body}`, this);
  }
}

/** The number that follows `label`; 0 when there is none. */
function countIn(text: string, label: string): number {
  const at = text.indexOf(label);
  return at === -1 ? 0 : Number.parseInt(text.slice(at + label.length, at + label.length + 8), 10);
}
