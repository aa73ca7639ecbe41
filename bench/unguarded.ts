import { readConfig } from '../engine/runtime/config.ts';
import { createReleaser } from '../engine/runtime/lifecycle.ts';
import { createLog } from '../engine/runtime/log.ts';
import { stopOnSignals } from '../engine/runtime/stop-on-signals.ts';
import type { Access } from '../gateway/guards/open-access.ts';
import type { Identity } from '../gateway/route.ts';
import { startGateway } from '../gateway/start-gateway.ts';

/**
 * The gateway without its guards: the first caller must send a key, and every later one counts as that caller. For
 * benches only.
 */
function withoutGuards(access: Access): Access {
  let anybody: Identity | undefined;
  return {
    ...access,
    isSecure: () => true,
    addressOf: () => null,
    async authenticate(request, route, origin) {
      if (anybody) return { identity: anybody };
      const answer = await access.authenticate(request, route, origin);
      if ('identity' in answer && route.guard.kind === 'permission') anybody = answer.identity;
      return answer;
    },
    quotas: {
      draw: () => ({ headers: [], retryAfterSeconds: null }),
      drawAddress: () => ({ headers: [], retryAfterSeconds: null }),
      owe: () => [],
    },
  };
}

const config = readConfig();
const log = createLog('unguarded', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
stopOnSignals(releaser, log);
await startGateway({ config, log, releaser, wrapAccess: withoutGuards });
