import type { CustomerRecord } from '../../schema/customer.ts';
import type { LocationRecord } from '../../schema/location.ts';
import type { PackageRecord } from '../../schema/package.ts';
import type { TaskRecord, TaskStatus } from '../../schema/task.ts';
import type { QuotaResource } from '../domain/quota.ts';

/**
 * What a decision changes, in full records. A change is applied to memory and written to Postgres as it stands:
 * neither adds anything of its own.
 */
export type Change =
  | { readonly kind: 'customer-created'; readonly customer: CustomerRecord }
  | { readonly kind: 'customer-changed'; readonly customer: CustomerRecord }
  | {
      readonly kind: 'task-created';
      readonly task: TaskRecord;
      readonly location: LocationRecord | null;
      readonly pickupLocation: LocationRecord | null;
      /** Locations that this change brings into being; the others existed. */
      readonly newLocations: readonly LocationRecord[];
      readonly packages: readonly PackageRecord[];
    }
  | { readonly kind: 'package-moved'; readonly before: PackageRecord; readonly after: PackageRecord }
  | {
      readonly kind: 'task-status-changed';
      readonly task: TaskRecord;
      readonly previousStatus: TaskStatus;
      /** All packages of the task as they are now, and those of them that changed. */
      readonly packages: readonly PackageRecord[];
      readonly changedPackages: readonly PackageRecord[];
      readonly reason: string | null;
      readonly reasonCode: string | null;
    }
  | { readonly kind: 'task-delayed'; readonly task: TaskRecord }
  | { readonly kind: 'usage-counted'; readonly resource: QuotaResource; readonly period: string; readonly used: number }
  | { readonly kind: 'timers-scanned'; readonly nextDeadlineAt: string | null };
