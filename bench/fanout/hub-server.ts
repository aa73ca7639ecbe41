import { isoTime, systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { readConfig } from '../../engine/runtime/config.ts';
import { createReleaser } from '../../engine/runtime/lifecycle.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { stopOnSignals } from '../../engine/runtime/stop-on-signals.ts';
import { startHttpServer } from '../../gateway/http/http-server.ts';
import { startGateway } from '../../gateway/start-gateway.ts';
import { LIMITS } from '../../schema/limits.ts';

/**
 * The gateway with a second port that publishes: the body of POST /<organizationId> goes to the streams as the next
 * event of the organization, as if it had just been committed. For benches only.
 */
const config = readConfig();
const log = createLog('hub', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
stopOnSignals(releaser, log);
const { engine } = await startGateway({ config, log, releaser });
// Events that are published here are in no log: a comparison with the log would send the streams back.
engine.feed.compareHeads = async () => {};
const sequences = new Map<number, number>();

const server = await startHttpServer({
  host: config.host,
  port: Number(process.env['PUBLISH_PORT']),
  exclusive: true,
  adapter: config.httpAdapter,
  requireContentLength: true,
  log,
  clock: systemClock,
  scheduler: systemScheduler,
  async dispatch(request, reply) {
    const organizationId = Number(request.path.slice(1));
    const body = (await request.readBody(LIMITS.bodyBytes)).toString('utf8');
    const sequence = (sequences.get(organizationId) ?? 0) + 1;
    sequences.set(organizationId, sequence);
    const at = isoTime(systemClock.now());
    engine.feed.publish(organizationId, [{ organizationId, sequence, type: 'task.created', at, body }]);
    reply.send(202, [], '');
  },
  onUnhandled: (error) => ({ status: 500, headers: [], body: String(error) }),
  refusal: (_status, reason) => ({ headers: [], body: reason }),
});
releaser.push('publish port', () => server.close());
