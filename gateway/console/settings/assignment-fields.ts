/** The settings of assignment that are numbers, with the engine's defaults and bounds. */
export interface NumberField {
  readonly name:
    | 'requestTtlSeconds'
    | 'maxAttempts'
    | 'searchTimeoutSeconds'
    | 'maxTasksPerAgent'
    | 'maxDistanceM'
    | 'batchingWindowMs'
    | 'leadMinutes';
  readonly min: number;
  readonly max: number;
  /** Null: there is no bound. */
  readonly standard: number | null;
}

export const NUMBER_FIELDS: readonly NumberField[] = [
  { name: 'requestTtlSeconds', min: 5, max: 3_600, standard: 30 },
  { name: 'maxAttempts', min: 1, max: 100, standard: 10 },
  { name: 'searchTimeoutSeconds', min: 10, max: 86_400, standard: 900 },
  { name: 'maxTasksPerAgent', min: 1, max: 1_000, standard: 5 },
  { name: 'maxDistanceM', min: 1, max: 1_000_000, standard: null },
  { name: 'batchingWindowMs', min: 0, max: 60_000, standard: 500 },
  { name: 'leadMinutes', min: 0, max: 10_080, standard: 30 },
];

export const FLAG_FIELDS = ['autoAccept', 'externalCouriers'] as const;
export const STANDARD_MODE = 'sequential';

type Settings = Readonly<Record<string, unknown>>;

/** The content of the form: numbers as they are typed, empty for the default. */
export type AssignmentForm = Readonly<Record<string, string | boolean>>;

export function formOf(settings: Settings): AssignmentForm {
  const own = (settings['assignment'] ?? {}) as Settings;
  const form: Record<string, string | boolean> = { mode: String(own['mode'] ?? STANDARD_MODE) };
  for (const { name } of NUMBER_FIELDS) {
    const value = name === 'leadMinutes' ? settings[name] : own[name];
    form[name] = value === null || value === undefined ? '' : String(value);
  }
  for (const name of FLAG_FIELDS) form[name] = own[name] === true;
  return form;
}

/** The names of the numbers that the engine would refuse. */
export function faultsOf(form: AssignmentForm): readonly NumberField[] {
  return NUMBER_FIELDS.filter(({ name, min, max }) => {
    const text = String(form[name]).trim();
    if (text === '') return false;
    const value = Number(text);
    return !Number.isInteger(value) || value < min || value > max;
  });
}

/** The `settings` of the PATCH, of the fields that have changed: null removes one, and the engine uses its default. */
export function changeOf(changed: Partial<AssignmentForm>): Settings {
  const numbers = new Set<string>(NUMBER_FIELDS.map(({ name }) => name));
  const numberOf = (typed: string) => (typed.trim() === '' ? null : Number(typed));
  const values = Object.entries(changed).map(([name, value]) => [
    name,
    numbers.has(name) ? numberOf(String(value)) : value,
  ]);
  const { leadMinutes, ...assignment } = Object.fromEntries(values) as Settings;
  return { assignment, ...(leadMinutes === undefined ? {} : { leadMinutes }) };
}
