/** Everything that the package exports. */
export { type Answer, type Client, type ClientOptions, createClient } from './create-client.ts';
export { DispatchError } from './dispatch-error.ts';
export type { DispatchEvent, ItemOf, Models, RefusalCode, WebhookEvent } from './document-types.ts';
export type { EventStream, FollowOptions, StreamMessage } from './event-stream.ts';
export type { RetryPolicy } from './send-request.ts';
export { memoryStore, Session, type SessionOptions, type TokenPair, type TokenStore } from './session.ts';
export { openTokenStore } from './token-store.ts';
export { type VerifyOptions, verifyWebhook, WebhookError, type WebhookRequest } from './webhook-signature.ts';
