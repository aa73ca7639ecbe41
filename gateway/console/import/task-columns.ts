import { importText } from '../text/english-import.ts';
import type { CellKind } from './read-cell.ts';

/** A column of a table of tasks: a field of the API, and the names that tables give it. */
interface TaskColumn {
  /** The field of the API; those of one place or person have a dot. */
  readonly path: string;
  readonly kind: CellKind;
  /** Other names, in letters and digits. */
  readonly names: readonly string[];
}

export const TASK_COLUMNS = {
  name: { path: 'name', kind: 'text', names: ['task', 'title', 'item', 'goods'] },
  type: { path: 'type', kind: 'type', names: ['tasktype', 'kind'] },
  code: {
    path: 'code',
    kind: 'text',
    names: ['order', 'orderid', 'ordernumber', 'orderno', 'reference', 'externalid'],
  },
  customer: { path: 'customer.name', kind: 'text', names: ['customername', 'recipient', 'recipientname', 'consignee'] },
  phone: {
    path: 'customer.phone',
    kind: 'phone',
    names: ['customerphone', 'phonenumber', 'recipientphone', 'telephone', 'tel', 'mobile'],
  },
  email: { path: 'customer.email', kind: 'text', names: ['customeremail', 'mail', 'emailaddress', 'recipientemail'] },
  customerId: { path: 'customerId', kind: 'number', names: [] },
  address: {
    path: 'location.address',
    kind: 'text',
    names: ['dropofflocationaddress', 'dropoffaddress', 'deliveryaddress', 'destination', 'street'],
  },
  latitude: {
    path: 'location.latitude',
    kind: 'degrees',
    names: ['lat', 'dropofflocationlatitude', 'dropofflatitude', 'dropofflat'],
  },
  longitude: {
    path: 'location.longitude',
    kind: 'degrees',
    names: ['lng', 'lon', 'long', 'dropofflocationlongitude', 'dropofflongitude', 'dropofflng'],
  },
  pin: { path: 'location', kind: 'pin', names: ['coordinates', 'latlng', 'latlon', 'latitudelongitude'] },
  building: { path: 'location.building', kind: 'text', names: [] },
  floor: { path: 'location.floor', kind: 'text', names: [] },
  apartment: { path: 'location.apartment', kind: 'text', names: ['flat', 'unit'] },
  locationId: { path: 'locationId', kind: 'number', names: [] },
  pickupAddress: { path: 'pickupLocation.address', kind: 'text', names: ['pickup', 'origin'] },
  pickupLatitude: { path: 'pickupLocation.latitude', kind: 'degrees', names: ['pickuplat'] },
  pickupLongitude: { path: 'pickupLocation.longitude', kind: 'degrees', names: ['pickuplng', 'pickuplon'] },
  pickupPin: { path: 'pickupLocation', kind: 'pin', names: ['pickupcoordinates', 'pickuplatlng'] },
  pickupWarehouseId: { path: 'pickupWarehouseId', kind: 'number', names: [] },
  notes: { path: 'notes', kind: 'text', names: ['note', 'comment', 'comments', 'instructions'] },
  description: { path: 'description', kind: 'text', names: [] },
  readyAt: { path: 'readyAt', kind: 'time', names: ['ready'] },
  windowStart: { path: 'windowStart', kind: 'time', names: ['from', 'earliest', 'after'] },
  windowEnd: { path: 'windowEnd', kind: 'time', names: ['to', 'until', 'latest', 'before', 'deadline'] },
  scheduledAt: { path: 'scheduledAt', kind: 'time', names: ['scheduled', 'date', 'time'] },
  estimatedDuration: { path: 'estimatedDuration', kind: 'number', names: ['duration', 'minutes', 'durationminutes'] },
  autoAssign: { path: 'autoAssign', kind: 'flag', names: [] },
  preferredAgentId: { path: 'preferredAgentId', kind: 'number', names: [] },
  requiredSkills: { path: 'requiredSkills', kind: 'list', names: ['skills'] },
  amount: { path: 'amount', kind: 'amount', names: ['price', 'total'] },
  currency: { path: 'currency', kind: 'text', names: [] },
} as const satisfies Readonly<Record<string, TaskColumn>>;

export type ColumnName = keyof typeof TASK_COLUMNS;
export const COLUMN_NAMES = Object.keys(TASK_COLUMNS) as ColumnName[];

export function columnOf(name: ColumnName): TaskColumn {
  return TASK_COLUMNS[name];
}

const BY_HEADING = new Map(
  COLUMN_NAMES.flatMap((name) => {
    const { path, names } = columnOf(name);
    const told = [name, importText.columns[name], ...(path.includes('.') ? [path] : []), ...names];
    return told.map((each) => [bare(each), name] as const);
  }),
);

function bare(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The columns that headings name, in any order and case; null for those that are unknown, or named a second time. */
export function columnsIn(headings: readonly string[]): (ColumnName | null)[] {
  const taken = new Set<ColumnName>();
  return headings.map((heading) => {
    const name = BY_HEADING.get(bare(heading));
    if (name === undefined || taken.has(name)) return null;
    taken.add(name);
    return name;
  });
}
