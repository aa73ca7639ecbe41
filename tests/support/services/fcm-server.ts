import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import * as v from 'valibot';

/** Errors of FCM HTTP v1, word for word. */
const ERRORS = {
  UNREGISTERED: [404, 'NOT_FOUND', 'Requested entity was not found.'],
  INVALID_ARGUMENT: [400, 'INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token'],
  SENDER_ID_MISMATCH: [403, 'PERMISSION_DENIED', 'SenderId mismatch'],
  QUOTA_EXCEEDED: [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  UNAVAILABLE: [503, 'UNAVAILABLE', 'The service is currently unavailable.'],
  INTERNAL: [500, 'INTERNAL', 'Internal error encountered.'],
  THIRD_PARTY_AUTH_ERROR: [401, 'UNAUTHENTICATED', 'Auth error from APNS or Web Push Service'],
} as const;
export type FcmErrorCode = keyof typeof ERRORS;

const UNAUTHENTICATED =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid ' +
  'authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';

const seconds = v.pipe(v.string(), v.regex(/^\d+(\.\d{1,9})?s$/));
const strings = v.record(v.string(), v.string());
/** Strict: FCM refuses a message with a field that it does not know. */
const messageBody = v.strictObject({
  message: v.strictObject({
    token: v.string(),
    notification: v.strictObject({ title: v.string(), body: v.string() }),
    data: v.pipe(
      strings,
      v.check((data) => !Object.keys(data).some((key) => /^(from$|message_type$|google|gcm)/.test(key))),
    ),
    android: v.strictObject({
      priority: v.picklist(['HIGH', 'NORMAL']),
      ttl: seconds,
      collapse_key: v.string(),
      notification: v.strictObject({ tag: v.string() }),
    }),
    apns: v.strictObject({ headers: strings, payload: v.strictObject({ aps: v.record(v.string(), v.unknown()) }) }),
  }),
});
export type FcmMessage = v.InferOutput<typeof messageBody>['message'];

/** The answer instead of accepting a message. */
export type FcmBehaviour =
  | 'take'
  | 'hang'
  | { readonly error: FcmErrorCode; readonly headers?: Readonly<Record<string, string>>; readonly field?: string }
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };

export interface FcmServer {
  /** The value for FCM_URL. */
  readonly url: string;
  /** The value for FCM_SERVICE_ACCOUNT: the file that Google's console writes. */
  readonly serviceAccount: string;
  /** Accepted messages. */
  readonly messages: readonly FcmMessage[];
  /** All messages, accepted or not. */
  readonly attempts: () => number;
  /** Issued access tokens, in order. */
  readonly accessTokens: readonly string[];
  /** Faults of requests. */
  readonly faults: readonly string[];
  /** Sets the answer for every device, or for the one with this token, from then on. */
  behave(behaviour: FcmBehaviour, token?: string): void;
  /** Answers to the next requests for an access token, instead of a token. */
  behaveOnAccess(answer: { readonly status: number; readonly body: string } | undefined): void;
  /** The lifetime of access tokens that are issued from then on. */
  accessLastsSeconds(seconds: number): void;
  /** Makes all access tokens so far invalid. */
  revokeAccess(): void;
  stop(): Promise<void>;
}

/** One pair of keys for all servers of a process: generating one takes half a second. */
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const PROJECT = 'courier-app-1';
const KEY_ID = '0123456789abcdef0123456789abcdef01234567';
const CLIENT_EMAIL = `firebase-adminsdk@${PROJECT}.iam.gserviceaccount.com`;
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

/** Google's token endpoint and FCM HTTP v1 on one port. */
export async function startFcmServer(port = 0): Promise<FcmServer> {
  const google = new GoogleStandIn();
  const server = createServer((incoming, outgoing) => {
    google.handle(incoming, outgoing).catch((error: Error) => {
      google.faults.push(error.message);
      outgoing.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  google.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(google, {
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

class GoogleStandIn implements Omit<FcmServer, 'stop'> {
  url = '';
  readonly messages: FcmMessage[] = [];
  readonly accessTokens: string[] = [];
  readonly faults: string[] = [];
  readonly #good = new Map<string, number>();
  readonly #behaviours = new Map<string, FcmBehaviour>();
  #behaviour: FcmBehaviour = 'take';
  #onAccess: { readonly status: number; readonly body: string } | undefined;
  #lifeSeconds = 3_599;
  #attempts = 0;

  get serviceAccount(): string {
    return JSON.stringify({
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: KEY_ID,
      private_key: KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: CLIENT_EMAIL,
      client_id: '100000000000000000001',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: `${this.url}/token`,
      universe_domain: 'googleapis.com',
    });
  }

  attempts(): number {
    return this.#attempts;
  }

  behave(behaviour: FcmBehaviour, token?: string): void {
    if (token === undefined) this.#behaviour = behaviour;
    else this.#behaviours.set(token, behaviour);
  }

  behaveOnAccess(answer: { readonly status: number; readonly body: string } | undefined): void {
    this.#onAccess = answer;
  }

  accessLastsSeconds(lifeSeconds: number): void {
    this.#lifeSeconds = lifeSeconds;
  }

  revokeAccess(): void {
    this.#good.clear();
  }

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const route = `${incoming.method} ${incoming.url}`;
    if (route === 'POST /token') return this.#grant(body, incoming.headers['content-type'], outgoing);
    if (route === `POST /v1/projects/${PROJECT}/messages:send`) return this.#take(incoming, body, outgoing);
    this.faults.push(route);
    sendJson(outgoing, 404, errorBody(404, 'NOT_FOUND', 'Requested entity was not found.'));
  }

  /** RFC 7523, as Google uses it: https://developers.google.com/identity/protocols/oauth2/service-account */
  async #grant(body: string, contentType: string | undefined, outgoing: ServerResponse): Promise<void> {
    if (this.#onAccess) return void outgoing.writeHead(this.#onAccess.status).end(this.#onAccess.body);
    const form = new URLSearchParams(body);
    const isGrant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    if (!isGrant || contentType !== 'application/x-www-form-urlencoded')
      return this.#refuse(outgoing, 'unsupported_grant_type', 'Invalid grant_type');
    try {
      const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', KEYS.publicKey, {
        algorithms: ['RS256'],
        issuer: CLIENT_EMAIL,
        audience: `${this.url}/token`,
        requiredClaims: ['iat', 'exp', 'scope'],
      });
      if (protectedHeader.kid !== KEY_ID) throw new Error('the key is not known');
      if (payload.exp! - payload.iat! > 3_600) throw new Error('it is good for more than an hour');
      if (payload['scope'] !== SCOPE) throw new Error(`the scope ${payload['scope']}`);
    } catch (error) {
      return this.#refuse(outgoing, 'invalid_grant', `Invalid JWT: ${(error as Error).message}`);
    }
    const token = `ya29.c.test-${this.accessTokens.length + 1}`;
    this.accessTokens.push(token);
    this.#good.set(token, Date.now() + this.#lifeSeconds * 1_000);
    sendJson(outgoing, 200, { access_token: token, expires_in: this.#lifeSeconds, token_type: 'Bearer' });
  }

  #refuse(outgoing: ServerResponse, error: string, error_description: string): void {
    this.faults.push(error_description);
    sendJson(outgoing, 400, { error, error_description });
  }

  #take({ headers }: IncomingMessage, body: string, outgoing: ServerResponse): void {
    this.#attempts += 1;
    const [, bearer = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    const isGood = (this.#good.get(bearer) ?? 0) > Date.now();
    if (!isGood) return sendJson(outgoing, 401, errorBody(401, 'UNAUTHENTICATED', UNAUTHENTICATED));
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), messageBody), body);
    if (!parsed.success) {
      const fields = parsed.issues.map((issue) => ({ field: v.getDotPath(issue) ?? '', description: issue.message }));
      this.faults.push(JSON.stringify(fields));
      return sendJson(outgoing, 400, invalidFields('Invalid JSON payload received.', fields));
    }
    const { message } = parsed.output;
    const behaviour = this.#behaviours.get(message.token) ?? this.#behaviour;
    if (behaviour === 'hang') return;
    if (behaviour === 'take') {
      this.messages.push(message);
      return sendJson(outgoing, 200, { name: `projects/${PROJECT}/messages/0:${this.messages.length}` });
    }
    if ('status' in behaviour) return void outgoing.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
    const { error, field, headers: more } = behaviour;
    const [status, name, text] = ERRORS[error];
    const description = { field, description: 'Invalid registration token' };
    const told =
      field === undefined ? errorBody(status, name, text, error) : invalidFields('Invalid argument', [description]);
    sendJson(outgoing, status, told, more);
  }
}

function errorBody(code: number, status: string, message: string, errorCode?: FcmErrorCode) {
  const detail = { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode };
  return { error: { code, message, status, ...(errorCode ? { details: [detail] } : {}) } };
}

function invalidFields(message: string, fieldViolations: readonly object[]) {
  const details = [
    { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'INVALID_ARGUMENT' },
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations },
  ];
  return { error: { code: 400, message, status: 'INVALID_ARGUMENT', details } };
}

function sendJson(outgoing: ServerResponse, status: number, body: object, headers: object = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  outgoing.end(JSON.stringify(body));
}
