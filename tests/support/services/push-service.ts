import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { importJWK, type JWTPayload, jwtVerify } from 'jose';
import { type BrowserKeys, createBrowserKeys, decryptPush } from './push-message.ts';
import { CERTIFICATE, KEY } from './self-signed-certificate.ts';

/** The answer of the service to a valid push: it accepts it, sends a status, or never answers. */
export type PushBehaviour = 'take' | 'hang' | PushAnswer;
export interface PushAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The rest of the body, and its end, never come. */
  readonly isEndless?: boolean;
}

/** A valid push as the browser receives it, regardless of the service's answer. */
export interface ReceivedPush {
  readonly text: string;
  readonly ttlSeconds: number;
  readonly urgency: string | undefined;
  readonly topic: string | undefined;
  readonly claims: JWTPayload;
  /** The length of the encrypted body. */
  readonly bytes: number;
}

/** A subscribed browser. */
export interface Subscriber {
  /** The text that the browser hands to the application: JSON.stringify(subscription). */
  readonly token: string;
  readonly endpoint: string;
  readonly received: readonly ReceivedPush[];
  /** Sets the service's answer from then on; it accepts pushes at first. */
  behave(behaviour: PushBehaviour): void;
}

export interface PushService {
  readonly origin: string;
  /** The certificate that senders must trust. */
  readonly ca: string;
  /** Faults of requests; the service refused each of these. */
  readonly faults: readonly string[];
  /** `applicationServerKey` is the key of the one sender from which the browser accepts pushes. */
  subscribe(applicationServerKey: string): Subscriber;
  stop(): Promise<void>;
}

class RefusedPush extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

class BrowserSubscription implements Subscriber {
  readonly endpoint: string;
  readonly received: ReceivedPush[] = [];
  readonly applicationServerKey: string;
  readonly keys: BrowserKeys = createBrowserKeys();
  behaviour: PushBehaviour = 'take';

  constructor(endpoint: string, applicationServerKey: string) {
    this.endpoint = endpoint;
    this.applicationServerKey = applicationServerKey;
  }

  get token(): string {
    const { key, auth } = this.keys;
    const keys = { p256dh: key.getPublicKey('base64url'), auth: auth.toString('base64url') };
    return JSON.stringify({ endpoint: this.endpoint, expirationTime: null, keys });
  }

  behave(behaviour: PushBehaviour): void {
    this.behaviour = behaviour;
  }
}

/** A push service over TLS with the browsers behind it, as strict as RFC 8030, RFC 8291 and RFC 8292 permit. */
export async function startPushService(): Promise<PushService> {
  const subscriptions = new Map<string, BrowserSubscription>();
  const faults: string[] = [];
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (incoming, outgoing) => {
    takePush(incoming, subscriptions.get(incoming.url!), origin)
      .then((behaviour) => answer(outgoing, behaviour))
      .catch((error: Error) => {
        faults.push(error.message);
        const status = error instanceof RefusedPush ? error.status : 400;
        answer(outgoing, { status, body: JSON.stringify({ code: status, message: error.message }) });
      });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    ca: CERTIFICATE,
    faults,
    subscribe(applicationServerKey) {
      const path = `/wpush/v2/${subscriptions.size + 1}`;
      const subscription = new BrowserSubscription(origin + path, applicationServerKey);
      subscriptions.set(path, subscription);
      return subscription;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(outgoing: ServerResponse, behaviour: PushBehaviour): void {
  if (behaviour === 'hang') return;
  if (behaviour === 'take') outgoing.writeHead(201, { location: '/message/1', ttl: '60' }).end();
  else {
    const { status, headers = {}, body = '', isEndless } = behaviour;
    outgoing.writeHead(status, headers).write(body);
    if (!isEndless) outgoing.end();
  }
}

async function takePush(
  incoming: IncomingMessage,
  subscription: BrowserSubscription | undefined,
  origin: string,
): Promise<PushBehaviour> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!subscription) throw new RefusedPush(404, 'no such subscription');
  const { method, headers } = incoming;
  if (method !== 'POST') throw new RefusedPush(405, 'pushes are posted');
  if (body.length > 4_096) throw new RefusedPush(413, `a push of ${body.length} bytes`);
  const ttl = headerOf(incoming, 'ttl', /^\d{1,10}$/);
  const urgency = headerOf(incoming, 'urgency', /^(very-low|low|normal|high)$|^$/);
  const topic = headerOf(incoming, 'topic', /^[A-Za-z0-9_-]{0,32}$/);
  headerOf(incoming, 'content-encoding', /^aes128gcm$/);
  const claims = await claimsOf(headers.authorization ?? '', subscription.applicationServerKey, origin);
  const text = decryptPush(body, subscription.keys).toString('utf8');
  subscription.received.push({ text, ttlSeconds: Number(ttl), urgency, topic, claims, bytes: body.length });
  return subscription.behaviour;
}

function headerOf({ headers }: IncomingMessage, name: string, form: RegExp): string {
  const value = headers[name];
  if (Array.isArray(value) || !form.test(value ?? '')) throw new RefusedPush(400, `the header ${name}: ${value}`);
  return value ?? '';
}

/** The signer and the lifetime of the token: RFC 8292 §2 and §4. */
async function claimsOf(authorization: string, expectedKey: string, origin: string): Promise<JWTPayload> {
  const [, token, key] = /^vapid t=([^,\s]+), ?k=([A-Za-z0-9_-]+)$/.exec(authorization) ?? [];
  if (!token || !key) throw new RefusedPush(401, 'no VAPID credentials');
  if (key !== expectedKey) throw new RefusedPush(403, 'the subscription is for the key of another sender');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65 || point[0] !== 4) throw new RefusedPush(401, 'not a point of P-256');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
  const options = { algorithms: ['ES256'], typ: 'JWT', audience: origin, requiredClaims: ['aud', 'exp', 'sub'] };
  const { payload } = await jwtVerify(token, publicKey, options).catch((error: Error) => {
    throw new RefusedPush(403, error.message);
  });
  if (payload.exp! > Date.now() / 1_000 + 86_400) throw new RefusedPush(403, 'a signature for more than a day');
  if (!/^(mailto:.+@.+|https:\/\/.+)/.test(payload.sub!)) throw new RefusedPush(403, `the subject ${payload.sub}`);
  return payload;
}
