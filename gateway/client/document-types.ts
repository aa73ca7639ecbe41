import type { components, paths, webhooks } from './generated/document.d.ts';

/** The models of the API by their names in the document: `Models['Task']`. */
export type Models = components['schemas'];

/** The paths below `/api/v1`, without that prefix. */
type Paths = { readonly [P in keyof paths as P extends `/api/v1${infer Below}` ? Below : never]: paths[P] };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have a method. */
export type PathWith<M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<M, { readonly responses: unknown }> ? P : never;
}[keyof Paths] &
  string;

type Operation<M extends Method, P extends PathWith<M>> = Paths[P] extends Record<M, infer Found> ? Found : never;

/** The options of every call. */
export interface CallOptions {
  /** One key is made for each call that changes something. Give your own to repeat a call after a restart. */
  readonly idempotencyKey?: string;
  /** The `etag` of the record that a PATCH is meant for: another one is refused with PRECONDITION_FAILED. */
  readonly ifMatch?: string;
  /** Ends the call. It then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** How long the call may be repeated; see RetryPolicy. */
  readonly giveUpAfterMs?: number;
}

type PathPart<O> = O extends { readonly parameters: { readonly path: infer Ids } }
  ? { readonly path: Ids }
  : { readonly path?: undefined };

/** A name such as `integrationData.{key}` stands for all that begin so. */
type NamesOf<Query> = {
  [Name in keyof Query as Name extends `${infer Field}.{${string}}` ? `${Field}.${string}` : Name]: Query[Name];
};

type QueryPart<O> = O extends { readonly parameters: { readonly query: infer Query } }
  ? { readonly query: NamesOf<Query> }
  : O extends { readonly parameters: { readonly query?: infer Query } }
    ? { readonly query?: NamesOf<Query> }
    : { readonly query?: undefined };

type Json = { readonly 'application/json': unknown };

type BodyPart<O> = O extends { readonly requestBody: { readonly content: infer Content extends Json } }
  ? { readonly body: Content['application/json'] }
  : O extends { readonly requestBody?: { readonly content: infer Content extends Json } }
    ? { readonly body?: Content['application/json'] }
    : { readonly body?: undefined };

/** The parts of a request: `path`, `query` and `body` by the document, and the options. */
export type CallOf<M extends Method, P extends PathWith<M>> = PathPart<Operation<M, P>> &
  QueryPart<Operation<M, P>> &
  BodyPart<Operation<M, P>> &
  CallOptions;

/** A call may be left out when none of its parts is required. */
export type CallArguments<Call> = Record<never, never> extends Call ? [call?: Call] : [call: Call];

type SuccessStatus = 200 | 201 | 202;

type SuccessBody<O> = O extends { readonly responses: infer Responses }
  ? {
      [S in keyof Responses & SuccessStatus]: Responses[S] extends { readonly content: infer Content extends Json }
        ? Content['application/json']
        : never;
    }[keyof Responses & SuccessStatus]
  : never;

/** The `data` of a success. */
export type DataOf<M extends Method, P extends PathWith<M>> =
  SuccessBody<Operation<M, P>> extends {
    readonly data: infer Data;
  }
    ? Data
    : never;

/** The paths whose answer is a list. */
export type ListPath = {
  [P in PathWith<'get'>]: DataOf<'get', P> extends { readonly items: readonly unknown[] } ? P : never;
}[PathWith<'get'>];

/** One item of a list. */
export type ItemOf<P extends ListPath> =
  DataOf<'get', P> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** Every body that a webhook may receive, told apart by its `type`. */
export type WebhookEvent = {
  [T in keyof webhooks]: webhooks[T] extends {
    readonly post: { readonly requestBody: { readonly content: infer Content extends Json } };
  }
    ? Content['application/json']
    : never;
}[keyof webhooks];

/** Every event that a stream may carry. */
export type DispatchEvent = Exclude<WebhookEvent, { readonly type: 'webhook.test' }>;

/** The codes of refusals; see docs/errors.md. */
export type RefusalCode = NonNullable<Models['Error']['code']>;
