import { timingSafeEqual } from 'node:crypto';
import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { hashSecret } from '../../engine/runtime/secrets.ts';
import type { Answer, Caller, Command } from '../../schema/commands.ts';
import { LIMITS } from '../../schema/limits.ts';
import { parseOwnerRequest } from '../../schema/owner-command.ts';
import { startHttpServer } from '../http/http-server.ts';
import type { HttpServer, HttpServerOptions, IncomingRequest, Reply } from '../http/port.ts';

export interface CommandListenerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly adapter: HttpServerOptions['adapter'];
  /** The shared secret of the system's processes. Requests without it get an empty 404. */
  readonly secret: string;
  readonly ask: (organizationId: number, command: Command) => Promise<Answer>;
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
const NOTHING = { headers: [], body: '' } as const;

/**
 * Accepts commands from other processes for the organizations that this process owns, on its own port: `POST
 * /commands`. It answers 200 with the engine's answer, success or refusal; an empty 404 for a wrong secret or any other
 * path; 400 for an invalid command. Rejects with ListenError.
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
    dispatch: (request, reply) => (isCommand(request, expected) ? take(options, request, reply) : say(reply, 404)),
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

/** Compares digests, so that the time taken shows neither the length nor the text. */
function isCommand(request: IncomingRequest, expected: Buffer): boolean {
  const given = Buffer.from(hashSecret(request.header('authorization')?.replace(/^Bearer /, '') ?? ''));
  const isKnown = timingSafeEqual(given, expected);
  return isKnown && request.method === 'POST' && request.path === '/commands';
}

async function take({ ask }: CommandListenerOptions, request: IncomingRequest, reply: Reply): Promise<void> {
  const body = await request.readBody(LIMITS.ownerCommandBytes);
  const asked = parseOwnerRequest(parseJson(body));
  if (!asked) return say(reply, 400);
  const answer = await ask(asked.organizationId, { ...asked.command, caller: SYSTEM });
  reply.send(200, JSON_TYPE, JSON.stringify(answer));
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
