import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { isoTime } from '../../engine/runtime/clock.ts';
import { readConfig, requireUrl } from '../../engine/runtime/config.ts';
import { createReleaser } from '../../engine/runtime/lifecycle.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { createRandomSource } from '../../engine/runtime/random.ts';
import { hashSecret } from '../../engine/runtime/secrets.ts';
import { stopOnSignals } from '../../engine/runtime/stop-on-signals.ts';
import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import { successBody } from '../../gateway/request/success-body.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { COUNTINGS } from './counting.ts';
import { NchanPublisher } from './nchan-publisher.ts';
import { createPeerTask, PEER_HISTORY, type PeerCaller, PeerRefusal } from './peer-create-task.ts';
import { type PeerPayment, payPeerTask, payTaskBody, preparePeerPayments } from './peer-pay-task.ts';
import { readPeerTask, taskParams } from './peer-read-task.ts';
import { createTaskBody, type PeerTaskBody } from './peer-schema.ts';

/**
 * POST /tasks, GET /tasks/:id and POST /payments/wallet the ordinary way, by the same standards: Fastify with its own
 * validator, postgres.js with a pool of 10 and prepared statements, one transaction a change and one statement a read, on
 * the tables and indexes of our own migrations. Keys are looked up in memory; the task is encoded once, by our serializer, for the event and for the answer. Left out, since
 * the load has none of it: packageIds, Idempotency-Key, matching customers by e-mail, rate limits. With PEER_PUBLISH_URL
 * each event goes to nchan once its transaction has committed, before the answer.
 */

declare module 'fastify' {
  interface FastifyRequest {
    caller: PeerCaller | null;
  }
}

const POOL = 10;

const config = readConfig();
const log = createLog('peer', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
stopOnSignals(releaser, log);

const counting = COUNTINGS[process.env['PEER_COUNTING'] === 'free' ? 'free' : 'rows'];
const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
  name: 'peer',
  connections: POOL,
  statementTimeoutMs: LIMITS.fetchDeadlineMs,
});
releaser.push('postgres', () => sql.end({ timeout: 2 }));
await useEveryId(sql);
const publishUrl = process.env['PEER_PUBLISH_URL'];
const publisher = publishUrl === undefined ? undefined : new NchanPublisher(publishUrl);
await counting.prepare(sql);
await preparePeerPayments(sql);
const callers = await loadCallers(sql);
const { uuid } = createRandomSource();

const app = fastify({
  genReqId: uuid,
  bodyLimit: LIMITS.bodyBytes,
  ajv: { customOptions: { coerceTypes: false, allErrors: true, allowUnionTypes: true } },
});
app.decorateRequest('caller', null);
app.get('/readyz', async () => ({ status: 'ready' }));
app.post<{ Body: PeerTaskBody }>(
  '/api/v1/tasks',
  { schema: { body: createTaskBody }, onRequest: authenticate },
  async (request, reply) => {
    const created = await createPeerTask(sql, counting, request.caller!, request.body);
    await publisher?.publish(request.caller!.organizationId, created.eventBody);
    const { taskJson: data, sequence } = created;
    return succeed(request, reply, { path: '/v1/tasks', message: 'Task created', data, sequence });
  },
);
app.get<{ Params: { id: string } }>(
  '/api/v1/tasks/:id',
  { schema: { params: taskParams }, onRequest: authenticate },
  async (request, reply) => {
    const taskJson = await readPeerTask(sql, request.caller!, Number(request.params.id));
    return succeed(request, reply, { path: request.url, message: 'Task found', data: taskJson, sequence: 0 }, 200);
  },
);
app.post<{ Body: PeerPayment }>(
  '/api/v1/payments/wallet',
  { schema: { body: payTaskBody }, onRequest: authenticate },
  async (request, reply) => {
    const { paymentJson: data, sequence } = await payPeerTask(sql, counting, request.caller!, request.body);
    return succeed(request, reply, { path: '/v1/payments/wallet', message: 'Wallet payment made', data, sequence });
  },
);
app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, _request, reply) => {
  const isTaken = error.code === '23505';
  const statusCode = isTaken ? 409 : (error.statusCode ?? 500);
  if (statusCode >= 500) log.error({ err: error }, 'a request failed');
  return reply
    .status(statusCode)
    .send({ statusCode, message: statusCode >= 500 ? 'Internal server error' : error.message });
});
releaser.push('http server', () => app.close());
await app.listen({ host: config.host, port: config.port });

async function authenticate(request: FastifyRequest): Promise<void> {
  const key = request.headers['x-api-key'];
  request.caller = (typeof key === 'string' && callers.get(hashSecret(key))) || null;
  if (!request.caller) throw new PeerRefusal(401, 'Unauthorized');
}

interface Made {
  readonly path: string;
  readonly message: string;
  /** JSON of the record. */
  readonly data: string;
  readonly sequence: number;
}

function succeed(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, message, data, sequence }: Made,
  status: 200 | 201 = 201,
): FastifyReply {
  const facts = { correlationId: request.id, canonicalPath: path, method: request.method };
  const position = formatPosition(PEER_HISTORY, sequence);
  const time = { now: isoTime(Date.now()), durationMs: reply.elapsedTime };
  return reply
    .status(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('x-correlation-id', request.id)
    .send(successBody(facts, { status, message, position }, data, time));
}

/** Our own processes take ids by the thousand; here each row takes one. */
async function useEveryId(database: Sql): Promise<void> {
  for (const kind of ['task', 'customer', 'user', 'location', 'package', 'payment', 'transfer']) {
    await database.unsafe(`ALTER SEQUENCE ${kind}_ids INCREMENT BY 1`);
  }
}

async function loadCallers(database: Sql): Promise<ReadonlyMap<string, PeerCaller>> {
  const rows = await database<(PeerCaller & { keyHash: string })[]>`
    SELECT encode(key_hash, 'hex') AS key_hash, organization_id, id AS channel_id, user_id
    FROM channels WHERE key_hash IS NOT NULL AND status = 'ACTIVE'`;
  return new Map(rows.map((row) => [row.keyHash, row]));
}
