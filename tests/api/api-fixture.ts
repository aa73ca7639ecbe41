import { after, before } from 'node:test';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { type OrganizationSeed, type SeededOrganization, seedOrganization } from '../support/seeds/seed.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/system/gateway.ts';

export interface ApiFixture {
  readonly gateway: TestGateway;
  /** Of the organization that comes with the gateway. */
  readonly api: ApiClient;
  /** A client with another key; closed with the fixture. */
  clientOf(key: string): ApiClient;
  /** One more organization with a client of its own. */
  organization(seed?: OrganizationSeed): Promise<SeededOrganization & { readonly api: ApiClient }>;
}

/**
 * One gateway for all tests of a file. `prepare` runs once it is there: a hook of the file's own would not wait for it,
 * since node:test starts the hooks of a file without waiting for one another.
 */
export function useGateway(
  options: TestGatewayOptions = {},
  prepare: (fixture: ApiFixture) => Promise<void> = async () => {},
): ApiFixture {
  let gateway: TestGateway | undefined;
  let api: ApiClient | undefined;
  const clients: ApiClient[] = [];

  function clientOf(key: string): ApiClient {
    const client = createApiClient({ baseUrl: gateway!.baseUrl, key });
    clients.push(client);
    return client;
  }

  before(async () => {
    gateway = await startTestGateway(options);
    api = clientOf(gateway.key);
    await prepare(fixture);
  });
  after(async () => {
    for (const client of clients) client.close();
    await gateway?.stop();
  });

  const fixture: ApiFixture = {
    get gateway() {
      return gateway!;
    },
    get api() {
      return api!;
    },
    clientOf,
    async organization(seed) {
      const seeded = await seedOrganization(gateway!.databaseUrl, seed);
      return { ...seeded, api: clientOf(seeded.key) };
    },
  };
  return fixture;
}
