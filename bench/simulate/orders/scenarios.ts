/** From the least to the most, both included. */
export type Range = readonly [least: number, most: number];

/** A kind of day. Times are minutes of the simulated time. */
export interface Scenario {
  readonly about: string;
  readonly ordersPerAgentHour: number;
  /** Orders that wait, ready to be fetched, when it begins: nobody watches an empty map for the first minutes. */
  readonly opening: number;
  /** Orders come in waves: how much more at the height than in between, and from one height to the next. */
  readonly wave: { readonly height: number; readonly minutes: number };
  /** The names of the places where orders are fetched; each has a few branches. */
  readonly origins: readonly string[];
  readonly branches: number;
  readonly goods: readonly string[];
  readonly weightKg: Range;
  /** From the order until it can be fetched. */
  readonly ready: Range;
  /** From the order until the window of the delivery begins; without it there is an end alone. */
  readonly opens: Range | undefined;
  /** From the beginning of the window, or from when it is ready, until the end of the window. */
  readonly open: Range;
  /** At the door. */
  readonly service: Range;
  /** One order in so many. */
  readonly cancelledOneIn: number;
  readonly failedOneIn: number;
  /** One offer in so many. */
  readonly declinedOneIn: number;
  readonly ignoredOneIn: number;
  /** Each half of a shift, the break between them, and the time until the next shift. */
  readonly shift: { readonly work: Range; readonly pause: Range; readonly off: Range };
  /** From one breakdown of the fleet to the next one, on average, and until it is repaired. */
  readonly breakdowns: { readonly every: number; readonly repair: Range };
}

export const SCENARIOS = {
  'lunch-rush': {
    about: 'meals of many kitchens, promised within the hour, more of them than the fleet likes',
    ordersPerAgentHour: 5,
    opening: 10,
    wave: { height: 3, minutes: 20 },
    origins: ['Trattoria', 'Noodle House', 'Taquería', 'Falafel Corner', 'Curry Kitchen', 'Burger Yard', 'Soup Bar'],
    branches: 3,
    goods: ['pizza', 'ramen', 'tacos', 'a falafel plate', 'curry', 'burgers', 'soup'],
    weightKg: [0.4, 3],
    ready: [1, 10],
    opens: undefined,
    open: [14, 24],
    service: [1, 2],
    cancelledOneIn: 30,
    failedOneIn: 40,
    declinedOneIn: 10,
    ignoredOneIn: 30,
    shift: { work: [25, 45], pause: [5, 8], off: [8, 15] },
    breakdowns: { every: 8, repair: [5, 10] },
  },
  'parcel-day': {
    about: 'parcels of two depots with windows of half an hour, several to a vehicle, and doors that stay closed',
    ordersPerAgentHour: 6,
    opening: 24,
    wave: { height: 1, minutes: 60 },
    origins: ['Depot'],
    branches: 2,
    goods: ['books', 'shoes', 'a lamp', 'spare parts', 'documents', 'a kettle', 'a coat'],
    weightKg: [0.2, 8],
    ready: [0, 2],
    opens: [4, 30],
    open: [20, 30],
    service: [1, 3],
    cancelledOneIn: 50,
    failedOneIn: 8,
    declinedOneIn: 20,
    ignoredOneIn: 40,
    shift: { work: [60, 120], pause: [10, 20], off: [20, 40] },
    breakdowns: { every: 12, repair: [8, 15] },
  },
  quiet: {
    about: 'a few errands for a fleet that waits for them',
    ordersPerAgentHour: 1.5,
    opening: 3,
    wave: { height: 1, minutes: 60 },
    origins: ['Pharmacy', 'Florist', 'Bakery'],
    branches: 2,
    goods: ['medicine', 'flowers', 'a cake'],
    weightKg: [0.2, 2],
    ready: [0, 5],
    opens: undefined,
    open: [30, 50],
    service: [1, 3],
    cancelledOneIn: 30,
    failedOneIn: 30,
    declinedOneIn: 15,
    ignoredOneIn: 60,
    shift: { work: [90, 180], pause: [15, 30], off: [30, 60] },
    breakdowns: { every: 30, repair: [5, 15] },
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];
