import type { Json } from '../../../gateway/openapi/json-schema.ts';
import type { Call, ExchangeRecorder } from '../../support/contract/exchanges.ts';
import type { ApiFixture } from '../api-fixture.ts';

/** The callers of the walk. */
export interface Cast {
  readonly fixture: ApiFixture;
  readonly organizationId: number;
  readonly admin: Call;
  readonly integration: Call;
  readonly superAdmin: Call;
  readonly nobody: Call;
  readonly recorder: ExchangeRecorder;
}

export const SOON = '2031-03-05T10:00:00.000Z';
export const PASSWORD = 'a long walk in the park';
export const PLACE = { address: '12 St James Square, London', latitude: 51.5072178, longitude: -0.1357 };
export const DOCK = { address: '3 Dock Road, London', latitude: 51.4871, longitude: -0.1189 };
export const CUSTOMER = { name: 'Ada Lovelace', phone: '+442079460001', email: 'ada@example.com' };
/** A task without a name. */
export const ORDER = { taskType: 'delivery', customer: CUSTOMER, location: PLACE, pickupLocation: DOCK };

export function idOf(record: Json): number {
  return Number(record['id']);
}

/** The last part of a task's link. */
export function tokenOf(task: Json): string {
  return String(task['trackingUrl']).slice('/t/'.length);
}
