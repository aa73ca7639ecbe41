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
  /** Whoever does not know it is told nothing. */
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
 * Takes commands of other processes of the system for the organizations that this one owns, on a port of its own:
 * `POST /commands`, answered 200 with the engine's answer whatever it says; 404 with nothing to whoever does not know the
 * secret, or asks for anything else; 400 for what is no such command. Rejects with ListenError.
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

/** Digests are compared, so that the time it takes tells neither the length nor the text. */
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
    // No request is valid without a value.
    return undefined;
  }
}
