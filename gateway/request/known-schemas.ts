import type * as v from 'valibot';

type Message<T extends v.BaseIssue<unknown>> = v.ErrorMessage<T> | undefined;

/** The schemas that an acceptor reads by itself. It gives any other to valibot. */
export type KnownSchema =
  | v.StringSchema<Message<v.StringIssue>>
  | v.NumberSchema<Message<v.NumberIssue>>
  | v.BooleanSchema<Message<v.BooleanIssue>>
  | v.UnknownSchema
  | v.PicklistSchema<readonly string[], Message<v.PicklistIssue>>
  | v.NullishSchema<v.GenericSchema, unknown>
  | v.NullableSchema<v.GenericSchema, unknown>
  | v.OptionalSchema<v.GenericSchema, unknown>
  | v.ArraySchema<v.GenericSchema, Message<v.ArrayIssue>>
  | v.UnionSchema<readonly v.GenericSchema[], Message<v.UnionIssue<v.BaseIssue<unknown>>>>
  | v.ObjectSchema<v.ObjectEntries, Message<v.ObjectIssue>>
  | v.StrictObjectSchema<v.ObjectEntries, Message<v.StrictObjectIssue>>;

/** The same of the steps of a pipe. */
export type KnownAction =
  | v.CheckAction<unknown, Message<v.CheckIssue<unknown>>>
  | v.MaxLengthAction<string, number, Message<v.MaxLengthIssue<string, number>>>
  | v.MinLengthAction<string, number, Message<v.MinLengthIssue<string, number>>>
  | v.RegexAction<string, Message<v.RegexIssue<string>>>
  | v.TransformAction<unknown, unknown>;

export type Piped = { readonly pipe?: readonly v.PipeItem<unknown, unknown, v.BaseIssue<unknown>>[] };

export type Wrapping = Extract<KnownSchema, { readonly wrapped: unknown }>;
/** The part of a field that says what its absence means. */
export type Absence = { readonly type: string; readonly default?: unknown };
