import { timingSafeEqual } from 'node:crypto';
import { packPositions } from '../engine/bus/packed-positions.ts';
import type { Clock, Scheduler } from '../engine/runtime/clock.ts';
import type { Log } from '../engine/runtime/log.ts';
import { hashSecret } from '../engine/runtime/secrets.ts';
import type { KnownPosition } from '../engine/store/positions/position-store.ts';
import type { Answer, Caller, Command } from '../schema/commands.ts';
import { LIMITS } from '../schema/limits.ts';
import { parseOwnerRequest, parsePositionsRequest } from '../schema/owner-command.ts';
import { startHttpServer } from './http/http-server.ts';
import type { HttpServer, HttpServerOptions, IncomingRequest, Reply } from './http/port.ts';

export interface CommandListenerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly adapter: HttpServerOptions['adapter'];
  /** The shared secret of the system's processes. Requests without it get an empty 404. */
  readonly secret: string;
  readonly ask: (organizationId: number, command: Command) => Promise<Answer>;
  /** The positions in this process; undefined for an organization of another one. */
  readonly positionsOf: (organizationId: number) => Promise<readonly KnownPosition[]> | undefined;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export interface CommandListener extends Pick<HttpServer, 'drain' | 'close'> {
  /** `host:port`, as other processes reach it. */
  readonly address: string;
}

const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };
const JSON_TYPE = [['Content-Type', 'application/json']] as const;
const PACKED_TYPE = [['Content-Type', 'application/octet-stream']] as const;
const NOTHING = { headers: [], body: '' } as const;

/**
 * Serves other processes for the organizations that this process owns, on its own port. `POST /commands` answers 200 with
 * the engine's answer, success or refusal; `POST /positions` 200 with the packed positions in memory, or 404 when
 * another process has them. A wrong secret or any other path gets an empty 404, an invalid request 400. Rejects with
 * ListenError.
 */
export async function startCommandListener(options: CommandListenerOptions): Promise<CommandListener> {
  const { host, port, adapter, secret, log, clock, scheduler } = options;
  const expected = Buffer.from(hashSecret(secret));
  const server = await startHttpServer({
    host,
    port,
    exclusive: true,
    adapter,
    requireContentLength: true,
    limits: { pendingRequests: LIMITS.ownerCommandsTaken, bufferedBodyBytes: LIMITS.ownerBufferedBytes },
    log,
    clock,
    scheduler,
    dispatch(request, reply) {
      const answer = isKnown(request, expected) ? ANSWERS[request.path] : undefined;
      return answer ? answer(options, request, reply) : say(reply, 404);
    },
    refusal: () => NOTHING,
    onUnhandled(error) {
      log.error({ err: error }, 'a command of another process could not be handled');
      return { status: 500, ...NOTHING };
    },
  });
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    drain: (deadlineMs) => server.drain(deadlineMs),
    close: () => server.close(),
  };
}

type AnswerRequest = (options: CommandListenerOptions, request: IncomingRequest, reply: Reply) => Promise<void>;

const ANSWERS: Readonly<Record<string, AnswerRequest>> = { '/commands': takeCommand, '/positions': sendPositions };

/** Compares digests, so that the time taken shows neither the length nor the text. */
function isKnown(request: IncomingRequest, expected: Buffer): boolean {
  const given = Buffer.from(hashSecret(request.header('authorization')?.replace(/^Bearer /, '') ?? ''));
  return timingSafeEqual(given, expected) && request.method === 'POST';
}

async function takeCommand({ ask }: CommandListenerOptions, request: IncomingRequest, reply: Reply): Promise<void> {
  const body = await request.readBody(LIMITS.ownerCommandBytes);
  const asked = parseOwnerRequest(parseJson(body));
  if (!asked) return say(reply, 400);
  const answer = await ask(asked.organizationId, { ...asked.command, caller: SYSTEM });
  reply.send(200, JSON_TYPE, JSON.stringify(answer));
}

async function sendPositions({ positionsOf }: CommandListenerOptions, request: IncomingRequest, reply: Reply) {
  const asked = parsePositionsRequest(parseJson(await request.readBody(LIMITS.ownerCommandBytes)));
  if (!asked) return say(reply, 400);
  const positions = await positionsOf(asked.organizationId);
  if (!positions) return say(reply, 404);
  reply.send(200, PACKED_TYPE, packPositions(positions));
}

function say(reply: Reply, status: number): void {
  reply.send(status, [], '');
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    // A request without a value is invalid.
    return undefined;
  }
}
