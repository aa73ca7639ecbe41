import { createReleaser, type Releaser } from '../../../engine/runtime/lifecycle.ts';
import { migrate } from '../../../engine/store/migrate.ts';
import { type SeededOrganization, seedOrganization } from '../seeds/seed.ts';
import { randomName, testRedis } from '../stores.ts';
import { createTestPlace, startTestGateway, type TestGateway, type TestPlace } from './gateway.ts';
import { type OwnPostgres, startOwnPostgres } from './own-stores.ts';
import { reservePort } from './reserve-port.ts';

export interface CrashableSystemOptions {
  /** The number of organizations; 1 by default. */
  readonly organizations?: number;
  /** Uses a Postgres of its own, which a test can kill. */
  readonly ownPostgres?: boolean;
  /** Settings of every gateway, by the names of the variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Real processes that a test may kill at any moment and start again at the same addresses. */
export interface CrashableSystem {
  readonly place: TestPlace;
  readonly organizations: readonly SeededOrganization[];
  /** The address; the same over all starts of the gateway. */
  readonly baseUrl: string;
  /** The gateway's process; undefined while it is down. */
  readonly gateway: TestGateway | undefined;
  /** `environment` adds to that of the system. */
  startGateway(environment?: Readonly<Record<string, string>>): Promise<TestGateway>;
  /** Sends kill -9; resolves when the process is gone. */
  killGateway(): Promise<void>;
  /** Sends kill -9 to the own Postgres; resolves when the server is gone. */
  killPostgres(): Promise<void>;
  startPostgres(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the stores; the test starts the gateway. */
export async function startCrashableSystem(options: CrashableSystemOptions = {}): Promise<CrashableSystem> {
  const releaser = createReleaser(() => {});
  try {
    const postgres = options.ownPostgres ? await startOwnPostgres(releaser) : undefined;
    const place = postgres ? await createPlace(postgres.url) : await createTestPlace();
    releaser.push('database', () => place.drop());
    const organizations: SeededOrganization[] = [place];
    while (organizations.length < (options.organizations ?? 1)) {
      organizations.push(await seedOrganization(place.databaseUrl, {}));
    }
    return await createSystem(releaser, place, organizations, postgres, options.environment ?? {});
  } catch (error) {
    await releaser.stop().catch(() => {});
    throw error;
  }
}

async function createSystem(
  releaser: Releaser,
  place: TestPlace,
  organizations: readonly SeededOrganization[],
  postgres: OwnPostgres | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<CrashableSystem> {
  const port = await reservePort();
  let gateway: TestGateway | undefined;
  releaser.push('gateway', () => gateway?.stop());
  const getPostgres = () => {
    if (!postgres) throw new Error('the system has no Postgres of its own: pass {ownPostgres: true}');
    return postgres;
  };
  return {
    place,
    organizations,
    baseUrl: `http://127.0.0.1:${port}`,
    get gateway() {
      return gateway;
    },
    async startGateway(more = {}) {
      const settings = { PORT: String(port), ...environment, ...more };
      gateway = await startTestGateway({ place, process: true, environment: settings });
      return gateway;
    },
    async killGateway() {
      const killed = gateway;
      gateway = undefined;
      await killed?.kill();
    },
    killPostgres: () => getPostgres().kill(),
    startPostgres: () => getPostgres().start(),
    stop: () => releaser.stop(),
  };
}

async function createPlace(databaseUrl: string): Promise<TestPlace> {
  await migrate(databaseUrl);
  const redis = testRedis();
  return {
    ...(await seedOrganization(databaseUrl)),
    databaseUrl,
    redisUrl: redis.url,
    redisPrefix: redis.prefix,
    gatewayId: randomName('gateway'),
    // The database is gone with its server.
    drop: async () => {},
  };
}
