import { OwnerClient } from '../../engine/bus/owner-client.ts';
import { openProviders } from '../../engine/providers/open-providers.ts';
import { type Scheduler, systemClock } from '../../engine/runtime/clock.ts';
import { type Config, publicUrlOf, requireUrl } from '../../engine/runtime/config.ts';
import { armFaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { drawFraction, type RandomSource } from '../../engine/runtime/random.ts';
import type { SecretBox } from '../../engine/runtime/secret-box.ts';
import { readOwners } from '../../engine/store/cluster/owner-store.ts';
import { createPaymentStepStore } from '../../engine/store/payments/payment-step-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { JobRunner, Processors } from '../job-runner.ts';
import { PaymentStepRunner, type StepCounts } from './payment-step-runner.ts';
import { PaymentWatch } from './payment-watch.ts';
import { tellMissedCallbacks } from './report-to-owner.ts';

export interface PaymentsOptions {
  readonly config: Config;
  readonly secretBox: SecretBox;
  readonly random: RandomSource;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly releaser: Releaser;
}

export interface Payments {
  readonly counts: Readonly<StepCounts>;
  readonly processors: Pick<Processors, 'payment-steps' | 'payment-reconciliation'>;
  /** From now on steps become jobs of this runner; until then this process carries them out as it finds them. */
  follow(runner: Pick<JobRunner, 'add'>): void;
  /** There is something to be done for a payment. */
  hint(): void;
}

/** Has payments carried out by their providers. Needs Postgres alone, and goes on while Redis is away. */
export async function startPayments(options: PaymentsOptions): Promise<Payments> {
  const { config, secretBox, random, scheduler, log, releaser } = options;
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch payments',
    connections: LIMITS.paymentConnections,
    statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('postgres (payments)', () => sql.end({ timeout: 2 }));
  const owners = new OwnerClient({ readOwners: () => readOwners(sql, secretBox), scheduler, log });
  releaser.push('reports to owners', () => owners.stop());
  const store = createPaymentStepStore(sql);
  const providers = await openProviders({ config, sql, clock: systemClock, random });
  const ask = owners.ask.bind(owners);
  const runner = new PaymentStepRunner({
    store,
    providers,
    ask,
    publicUrl: publicUrlOf(config),
    fault: armFaultPoints(config.faultPoint),
    scheduler,
    draw: () => drawFraction(random),
    onFreed: () => watch.look(),
    log,
  });
  releaser.push('payments', () => runner.stop());
  const watch = new PaymentWatch({ store, runner, scheduler, log });
  releaser.push('steps of payments', () => watch.stop());
  return {
    counts: runner.counts,
    processors: {
      'payment-steps': (key, signal) => runner.serve(key, signal),
      async 'payment-reconciliation'() {
        await watch.reconcile();
        await tellMissedCallbacks(providers, ask, log);
      },
    },
    follow: (runner) => watch.follow(runner),
    hint: () => watch.look(),
  };
}
