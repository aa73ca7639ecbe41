import { seededNumbers } from '../../../bench/scenarios/seeded-numbers.ts';
import { seedAgents } from '../../../bench/seed/seed-agents.ts';
import { City } from '../../../bench/simulate/city.ts';
import { Driver } from '../../../bench/simulate/driver.ts';
import { Fleet } from '../../../bench/simulate/fleet.ts';
import { issueSessions } from '../../../bench/simulate/open-sessions.ts';
import { StreamWatch } from '../../../bench/simulate/stream-watch.ts';
import { Tally } from '../../../bench/simulate/tally.ts';
import { Traveller, VEHICLES } from '../../../bench/simulate/traveller.ts';
import { type SeededOrganization, withSql } from '../../support/seeds/seed.ts';

export interface ReportingFleetOptions {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly organization: SeededOrganization;
  /** From `seedFleet`. */
  readonly agentIds: readonly number[];
  readonly rateSeconds: number;
}

/** Drivers who report all the time, and a console that watches them. */
export interface ReportingFleet {
  readonly tally: Tally;
  readonly drivers: readonly Driver[];
  readonly watch: StreamWatch;
  readonly city: City;
  stop(): void;
}

const CENTER = { latitude: 52.52, longitude: 13.405 };
const CITY_METRES = 10_000;

/** Agents on duty. To be made before the organization's first request: actors keep what they have read. */
export function seedFleet(databaseUrl: string, organizationId: number, count: number): Promise<number[]> {
  return withSql(databaseUrl, (sql) => seedAgents(sql, organizationId, count));
}

/** The same drivers on the same ways each time; they report as soon as it resolves. */
export async function startReportingFleet(options: ReportingFleetOptions): Promise<ReportingFleet> {
  const { databaseUrl, organization, agentIds, rateSeconds } = options;
  const { organizationId, key } = organization;
  const target = new URL(options.baseUrl);
  const tally = new Tally();
  const city = new City(CENTER, CITY_METRES);
  const sessions = await issueSessions(databaseUrl, organizationId, agentIds);
  const drivers = sessions.map((session, index) => {
    const draw = seededNumbers(index);
    const traveller = new Traveller({ city, draw, timeLapse: 1, vehicle: VEHICLES[index % VEHICLES.length]! });
    return new Driver(target, session, traveller, tally);
  });
  const watch = new StreamWatch({ target, organizationId, credential: key, agentIds: new Set(agentIds), tally });
  const refresh = () => Promise.reject(new Error('sessions of a test outlive it'));
  const fleet = new Fleet({ drivers, rateSeconds, refresh });
  return {
    tally,
    drivers,
    watch,
    city,
    stop() {
      tally.end();
      fleet.stop();
      watch.stop();
    },
  };
}
