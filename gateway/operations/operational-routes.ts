import * as v from 'valibot';
import type { Engine } from '../../engine/org/start-engine.ts';
import { systemClock } from '../../engine/runtime/clock.ts';
import type { MetricSet } from '../../engine/runtime/metrics/metric-set.ts';
import type { createMetricsAccess } from '../../engine/runtime/metrics/metrics-access.ts';
import { errorBody } from '../../engine/views/parts/error-body.ts';
import { named } from '../../schema/fields/named.ts';
import { shownInteger } from '../../schema/fields/shown-fields.ts';
import type { Reply } from '../http/port.ts';
import { type RawRoute, rawRoute } from '../route.ts';
import { sharedProbe } from './shared-probe.ts';

export interface OperationalState {
  readonly engine: Engine;
  readonly metrics: MetricSet;
  readonly mayReadMetrics: ReturnType<typeof createMetricsAccess>;
  readonly isDraining: () => boolean;
  readonly isRedisReachable: () => Promise<boolean>;
}

interface StoreProbes {
  readonly postgres: () => Promise<boolean>;
  readonly redis: () => Promise<boolean>;
}

const healthView = named('Health', v.object({ status: v.literal('ok') }));

const readinessView = named(
  'Readiness',
  v.object({
    status: v.picklist(['ready', 'not ready']),
    postgres: v.boolean(),
    redis: v.boolean(),
    shardsOwned: shownInteger,
    draining: v.boolean(),
    volatilePostgres: v.array(v.string()),
  }),
);

const JSON_TYPE = [['Content-Type', 'application/json; charset=utf-8']] as const;
/** Longer than a healthy store takes, shorter than a probe's patience. */
const PROBE_MS = 1_000;

/** Probes and metrics: at the root, without a key. */
export function operationalRoutes(state: OperationalState): RawRoute[] {
  const probes: StoreProbes = {
    postgres: sharedProbe(() => state.engine.isReachable(PROBE_MS), systemClock),
    redis: sharedProbe(() => state.isRedisReachable(), systemClock),
  };
  const route = (path: string, summary: string, answers: string, handle: RawRoute['handle']): RawRoute =>
    rawRoute({
      method: 'GET',
      path,
      place: 'root',
      guard: { kind: 'operational' },
      summary,
      answers,
      handle,
    });
  return [
    {
      ...route('/healthz', 'The process lives', 'application/json', (_request, reply) => {
        reply.send(200, JSON_TYPE, '{"status":"ok"}');
      }),
      data: healthView,
    },
    {
      ...route('/readyz', 'Stores reachable and shards owned', 'application/json', (_request, reply) =>
        tellReadiness(state, probes, reply),
      ),
      data: readinessView,
      alsoAnswers: { '503': 'Not ready' },
    },
    {
      ...route(
        '/metrics',
        'Prometheus metrics, for the bearer of METRICS_TOKEN, else for this machine alone',
        'text/plain',
        ({ replyHeaders }, reply, incoming) => {
          if (state.mayReadMetrics(incoming)) return tellMetrics(state, reply);
          // As a path that does not exist: the caller does not learn that this one does.
          reply.send(404, [...JSON_TYPE, ...replyHeaders], errorBody(404, 'Cannot GET /metrics'));
        },
      ),
      refusals: ['404 The caller may not read metrics'],
    },
  ];
}

async function tellMetrics({ metrics }: OperationalState, reply: Reply): Promise<void> {
  const text = await metrics.text();
  if (!reply.done) reply.send(200, [['Content-Type', metrics.contentType]], text);
}

async function tellReadiness(state: OperationalState, probes: StoreProbes, reply: Reply): Promise<void> {
  const { engine } = state;
  const [postgres, redis] = await Promise.all([probes.postgres(), probes.redis()]);
  const { shardsOwned } = engine.counts();
  const draining = state.isDraining();
  const ready = postgres && redis && shardsOwned > 0 && !draining;
  const facts = {
    status: ready ? 'ready' : 'not ready',
    postgres,
    redis,
    shardsOwned,
    draining,
    volatilePostgres: engine.volatileSettings,
  };
  if (!reply.done) reply.send(ready ? 200 : 503, JSON_TYPE, JSON.stringify(facts));
}
