import type { CourierRecord, SentCourier } from '../../../schema/assignment/courier.ts';
import { numberArray, type Sql } from '../postgres.ts';
import { once } from '../statements.ts';

export interface CourierStore {
  /** Gives the couriers of companies the ids of the organization, in the same order. */
  identify(organizationId: number, sent: readonly SentCourier[]): Promise<CourierRecord[]>;
  /** Those of these tasks that have no external courier. */
  findWithoutCourier(organizationId: number, taskIds: readonly number[]): Promise<number[]>;
}

export function createCourierStore(sql: Sql): CourierStore {
  return {
    async identify(organizationId, sent) {
      // No row twice in one statement.
      const distinct = new Map(sent.map((courier) => [keyOf(courier), courier]));
      const query = sql<{ id: number; provider: string; externalId: string }[]>`
        WITH alive AS MATERIALIZED (
          SELECT FROM organizations WHERE organization_id = ${organizationId} FOR KEY SHARE)
        INSERT INTO couriers (organization_id, provider, external_id, name, phone_number, country_code, vehicle_type,
          vehicle, tracking_url)
        SELECT ${organizationId}::bigint, provider, "externalId", name, "phoneNumber", "countryCode", "vehicleType",
          vehicle, "trackingUrl"
        FROM alive, json_to_recordset(${JSON.stringify([...distinct.values()])}::text::json) AS n(provider text,
          "externalId" text, name text, "phoneNumber" text, "countryCode" text, "vehicleType" text, vehicle json,
          "trackingUrl" text)
        ORDER BY provider, "externalId"
        ON CONFLICT (organization_id, provider, external_id) DO UPDATE SET name = EXCLUDED.name,
          phone_number = EXCLUDED.phone_number, country_code = EXCLUDED.country_code,
          vehicle_type = EXCLUDED.vehicle_type, vehicle = EXCLUDED.vehicle, tracking_url = EXCLUDED.tracking_url
        RETURNING id, provider, external_id`;
      const rows = await once(query, 'noting couriers');
      const ids = new Map(rows.map((row) => [keyOf(row), row.id]));
      return sent.map((courier) => ({ id: ids.get(keyOf(courier))!, ...courier }));
    },
    async findWithoutCourier(organizationId, taskIds) {
      const query = sql<{ id: number }[]>`
        SELECT id FROM tasks
        WHERE organization_id = ${organizationId} AND id = ANY(${numberArray(taskIds)}::bigint[]) AND courier IS NULL`;
      const rows = await once(query, 'looking for couriers of tasks');
      return rows.map(({ id }) => id);
    },
  };
}

function keyOf({ provider, externalId }: Pick<SentCourier, 'provider' | 'externalId'>): string {
  return JSON.stringify([provider, externalId]);
}
