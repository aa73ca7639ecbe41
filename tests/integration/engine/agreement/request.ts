/** A request as the JSON body of the API, with the ids that it names: the engine and the model read the same. */

export interface PlaceBody {
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
}

export interface TaskBody {
  readonly name?: string;
  readonly taskType?: string;
  readonly type?: string;
  readonly code?: string;
  readonly notes?: string;
  readonly customer?: { readonly name: string; readonly phone: string; readonly email?: string };
  readonly customerId?: number;
  readonly location?: PlaceBody;
  readonly dropoffLocation?: PlaceBody;
  readonly pickupLocation?: PlaceBody;
  readonly pickupWarehouseId?: number;
  readonly scheduledAt?: string;
  readonly timeToServe?: 'scheduled';
  readonly estimatedDuration?: number;
  readonly integrationData?: Readonly<Record<string, unknown>>;
  readonly packages?: readonly { readonly name: string; readonly quantity?: number }[];
  readonly packageIds?: readonly number[];
  readonly autoAssign?: boolean;
  readonly amount?: string;
  readonly parentId?: number;
  readonly children?: readonly TaskBody[];
  /** The key of an item of a batch. */
  readonly idempotencyKey?: string;
}

export interface PatchBody {
  readonly notes?: string | null;
  readonly integrationData?: Readonly<Record<string, unknown>> | null;
  readonly scheduledAt?: string;
  readonly location?: PlaceBody;
  readonly packages?: readonly { readonly id?: number; readonly name?: string; readonly quantity?: number }[];
}

export interface StatusBody {
  readonly status: string;
  readonly occurredAt?: string;
  readonly outcome?: 'failed';
  readonly failureReason?: string;
}

export interface CustomerBody {
  readonly name?: string;
  readonly phone?: string;
  readonly email?: string | null;
  readonly address?: string | null;
}

export interface WarehouseBody {
  readonly name?: string;
  readonly location?: PlaceBody;
  readonly isActive?: boolean;
}

export type Request =
  | { readonly kind: 'create'; readonly body: TaskBody }
  | { readonly kind: 'batch'; readonly items: readonly TaskBody[]; readonly atomic: boolean }
  | { readonly kind: 'update'; readonly id: number; readonly body: PatchBody }
  /** `moment`: what `occurredAt` names. */
  | {
      readonly kind: 'status';
      readonly id: number;
      readonly body: StatusBody;
      readonly moment: 'none' | 'now' | 'past' | 'future';
      readonly asAgent: boolean;
    }
  | { readonly kind: 'add-package'; readonly id: number; readonly body: { readonly name: string } }
  | { readonly kind: 'package-status'; readonly id: number; readonly body: { readonly status: string } }
  | { readonly kind: 'create-customer'; readonly body: Required<Pick<CustomerBody, 'name' | 'phone'>> & CustomerBody }
  | { readonly kind: 'update-customer'; readonly id: number; readonly body: CustomerBody }
  | { readonly kind: 'create-warehouse'; readonly body: Required<WarehouseBody> }
  | { readonly kind: 'update-warehouse'; readonly id: number; readonly body: WarehouseBody };

/** A request, and the Idempotency-Key that it is sent with. */
export type Sent = Request & { readonly key: string | undefined };
