import { OwnerClient } from '../../engine/bus/owner-client.ts';
import { openProviders } from '../../engine/providers/open-providers.ts';
import { type Scheduler, systemClock } from '../../engine/runtime/clock.ts';
import { type Config, publicUrlOf, requireUrl } from '../../engine/runtime/config.ts';
import { armFaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { drawFraction, type RandomSource } from '../../engine/runtime/random.ts';
import { readOwners } from '../../engine/store/owner-store.ts';
import { createPaymentStepStore } from '../../engine/store/payment-step-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import { PaymentDesk } from './payment-desk.ts';

export interface PaymentsOptions {
  readonly config: Config;
  readonly random: RandomSource;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly releaser: Releaser;
}

/** Has payments carried out by their providers. */
export async function startPayments(options: PaymentsOptions): Promise<PaymentDesk> {
  const { config, random, scheduler, log, releaser } = options;
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch payments',
    connections: LIMITS.paymentConnections,
    statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('postgres (payments)', () => sql.end({ timeout: 2 }));
  const owners = new OwnerClient({ readOwners: () => readOwners(sql), scheduler, log });
  releaser.push('reports to owners', () => owners.stop());
  const desk = new PaymentDesk({
    store: createPaymentStepStore(sql),
    providers: await openProviders({ config, sql, clock: systemClock, random }),
    ask: owners.ask.bind(owners),
    publicUrl: publicUrlOf(config),
    fault: armFaultPoints(config.faultPoint),
    scheduler,
    draw: () => drawFraction(random),
    log,
  });
  releaser.push('payments', () => desk.stop());
  return desk;
}
