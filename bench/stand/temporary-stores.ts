import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoOrganization, ensureDemoOrganization } from '../../engine/launcher/demo-organization.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../engine/launcher/stores/embedded-postgres.ts';
import { type LocalRedis, startLocalRedis } from '../../engine/launcher/stores/local-redis.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { migrate } from '../../engine/store/migrate.ts';
import { createDatabase } from '../../tests/support/stores.ts';

/** Stores of one run, in a folder that goes with it. */
export interface TemporaryStores {
  readonly directory: string;
  readonly postgres: EmbeddedPostgres;
  readonly redis: LocalRedis;
  /** The content of every new database: the demo organization and its key. */
  readonly demo: DemoOrganization;
  /** Every new database copies this one; no client may be connected by then. */
  readonly templateUrl: string;
  /** A migrated database with the demo organization in it. */
  makeDatabase(name: string): Promise<{ readonly name: string; readonly url: string }>;
}

/** Longer than the servers' own steps from asking to kill. */
const STOP_DEADLINE_MS = 30_000;
const TEMPLATE = 'bench_template';

/** Starts Postgres, as durable as the local launcher's, and Redis under the system's temporary folder. */
export async function startTemporaryStores(releaser: Releaser, signal: AbortSignal): Promise<TemporaryStores> {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-bench-'));
  releaser.push('temporary folder', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  // Postgres runs as another user when we are root, and must reach its data.
  chmodSync(directory, 0o755);
  const postgresDirectory = join(directory, 'postgres');
  mkdirSync(postgresDirectory);
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  const postgres = await startEmbeddedPostgres({ directory: postgresDirectory, settings, signal });
  releaser.push('postgres', () => postgres.stop(), STOP_DEADLINE_MS);
  const redis = await startLocalRedis({ directory: join(directory, 'redis'), persistence: 'everysec', signal });
  releaser.push('redis', () => redis.stop(), STOP_DEADLINE_MS);

  const template = await createDatabase(postgres.url, TEMPLATE);
  await migrate(template.url);
  const demo = await ensureDemoOrganization(template.url, { baseUrl: '' });
  const makeDatabase = (name: string) => createDatabase(postgres.url, name, TEMPLATE);
  return { directory, postgres, redis, demo, templateUrl: template.url, makeDatabase };
}
