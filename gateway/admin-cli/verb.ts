import type { OperatorStores } from './operator-stores.ts';

export type Value = string | number | boolean | null | readonly number[] | Readonly<Record<string, unknown>>;
/** By the fields' names. */
export type Values = Readonly<Record<string, Value>>;

export interface Parameter {
  /** As it is typed: `rate-limit` for `--rate-limit`. */
  readonly name: string;
  /** As the API calls it, where that is not the name in camelCase. */
  readonly field?: string;
  /** With `orNull` the word `null` is a value, too. `stdin`: a flag, the value is the first line of standard input. */
  readonly kind: 'text' | 'number' | 'boolean' | 'json' | 'ids' | 'stdin';
  readonly orNull?: true;
  readonly isRequired?: true;
  readonly help: string;
}

interface VerbBase {
  readonly noun: string;
  readonly verb: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** The columns of a list, in dotted form; an object is shown whole. */
  readonly columns?: readonly string[];
}

/** Asks the gateway: `:id` from `--id` (or the word after the verb), the rest in the query of a GET, else in the body. */
export interface RouteVerb extends VerbBase {
  /** `PATCH /channels/:id`, below /api/v1. */
  readonly route: string;
  /** Takes `--organization`, which names the organization that it is about. */
  readonly isInOrganization: boolean;
}

/** Works on the stores themselves, where the API has nothing for it. */
export interface StoreVerb extends VerbBase {
  readonly run: (stores: OperatorStores, values: Values) => Promise<unknown>;
}

export type Verb = RouteVerb | StoreVerb;

export const ID: Parameter = {
  name: 'id',
  kind: 'number',
  isRequired: true,
  help: 'its id, which may also follow the verb',
};
export const ORGANIZATION: Parameter = {
  name: 'organization',
  kind: 'number',
  isRequired: true,
  help: 'the id of the organization',
};
export const PASSWORD = {
  name: 'password',
  kind: 'text',
  help: 'visible in the list of processes: prefer --password-stdin',
} as const satisfies Parameter;
export const PASSWORD_STDIN: Parameter = {
  name: 'password-stdin',
  field: 'password',
  kind: 'stdin',
  help: 'read the password from standard input: one line',
};
