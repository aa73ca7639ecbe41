import { HOSTILE } from './hostile-handlers.ts';
import { type Adapter, startFixture } from './http-fixture.ts';

/**
 * Serves handlers that could end the process, so it is one of its own: `stand-in-hostile-server.ts <adapter> [refusals]`.
 * With `refusals` what the composition root supplies throws as well. Tells its port, and `{pending}` when asked.
 */
const [adapter, mode] = process.argv.slice(2);
const fail = (): never => {
  throw new Error('the composition root failed');
};

const { server, port } = await startFixture({
  adapter: adapter as Adapter,
  // Much longer than a handler that answers takes, on a slow machine too.
  limits: { requestDeadlineMs: 2_000, requestScanMs: 50 },
  dispatch: (request, reply) => HOSTILE[request.path]?.(request, reply),
  ...(mode === 'refusals' ? { onUnhandled: fail, refusal: fail } : {}),
});
process.on('message', () => process.send?.({ pending: server.pending, streams: server.streams }));
process.on('disconnect', () => process.exit(0));
process.send?.({ port });
