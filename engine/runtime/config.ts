import { createECDH } from 'node:crypto';
import { hostname } from 'node:os';
import * as v from 'valibot';
import { problemOfOrigins } from '../../schema/fields/origins.ts';
import { LIMITS } from '../../schema/limits.ts';
import { FAULT_POINTS } from './fault-points.ts';
import { SECRET_KEY_BYTES, SecretBox } from './secret-box.ts';
import {
  isFaultPoint,
  isLinkBase,
  isPlainAddress,
  isRedisUrl,
  isSmtpUrl,
  isWebAddress,
  problemOfNetworks,
  problemOfPostgresUrl,
} from './setting-checks.ts';

/**
 * The promise of six seconds from the death of an owner to the first acknowledged write elsewhere: the rest of its lease, a
 * ninth of one until the next look, and the loading. An owner may stand still for three seconds and keeps its lease.
 */
export const DEFAULT_LEASE_MS = 4_500;

/** An unusable setting; the message names it and a valid value. */
export class ConfigError extends Error {}

const flag = v.pipe(
  v.optional(v.picklist(['0', '1', 'true', 'false']), '0'),
  v.transform((text) => text === '1' || text === 'true'),
);
const integer = (fallback: number, min: number, max: number) =>
  v.pipe(
    v.optional(v.string(), String(fallback)),
    v.regex(/^\d+$/, 'must be a whole number'),
    v.transform(Number),
    v.minValue(min),
    v.maxValue(max),
  );
const list = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  ),
);

/** `problemOf` says what is wrong with a value, if anything is. */
const without = <T>(problemOf: (value: T) => string | undefined) =>
  v.rawCheck<T>(({ dataset, addIssue }) => {
    const message = dataset.typed && problemOf(dataset.value);
    if (message) addIssue({ message });
  });
const listWithout = (problemOf: (entries: string[]) => string | undefined) => v.pipe(list, without(problemOf));
/** A text that `isUsable` accepts; `message` does not quote it, since it may hold a password. */
const checked = (isUsable: (text: string) => boolean, message: string) =>
  v.optional(v.pipe(v.string(), v.check(isUsable, message)));

const NEW_KEY = `node -p "crypto.randomBytes(${SECRET_KEY_BYTES}).toString('base64')"`;
/** Its values stay out of messages. */
const secretsKey = v.pipe(
  list,
  v.check(
    (keys) => keys.every(isSecretsKey),
    `must be ${SECRET_KEY_BYTES} bytes in base64, or several of them with commas between; one is made by ${NEW_KEY}`,
  ),
  v.transform((keys) => keys.map((key) => Buffer.from(key, 'base64'))),
);

const environmentSchema = v.object({
  DATABASE_URL: v.optional(v.pipe(v.string(), without(problemOfPostgresUrl))),
  REDIS_URL: checked(
    isRedisUrl,
    'must be a URL like redis://:password@127.0.0.1:6379/0 or rediss://…, with special characters of the password as %40, ' +
      'or the path of a Unix socket',
  ),
  PORT: integer(8080, 0, 65_535),
  HOST: v.optional(v.string(), '127.0.0.1'),
  DATA_DIR: v.optional(v.string(), '.data'),
  INTERNAL_HOST: v.optional(v.string(), '127.0.0.1'),
  INTERNAL_PORT: integer(0, 0, 65_535),
  WORKERS_METRICS_HOST: v.optional(v.string(), '127.0.0.1'),
  WORKERS_METRICS_PORT: integer(0, 0, 65_535),
  METRICS_TOKEN: v.optional(
    v.pipe(v.string(), v.regex(/^[\x21-\x7e]{16,}$/, 'must be 16 visible ASCII characters or more')),
  ),
  GATEWAY_ID: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.-]{1,64}$/)), hostname()),
  LOG_LEVEL: v.optional(v.picklist(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), 'info'),
  LEASE_MS: integer(DEFAULT_LEASE_MS, 1_000, 120_000),
  HEARTBEAT_MS: integer(LIMITS.heartbeatMs, 1_000, LIMITS.heartbeatMs),
  REDIS_PREFIX: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,32}$/)), 'dispatch'),
  HTTP_ADAPTER: v.optional(v.picklist(['uws', 'node']), 'uws'),
  SHARED_PORT: flag,
  ALLOW_INSECURE_HTTP: flag,
  ALLOW_VOLATILE_POSTGRES: flag,
  REQUIRE_CONTENT_LENGTH: flag,
  TRUSTED_PROXIES: listWithout(problemOfNetworks),
  ACCESS_TOKEN_TTL_SECONDS: integer(900, 5, 900),
  CORS_ORIGINS: listWithout(problemOfOrigins),
  TLS_CERT_FILE: v.optional(v.string()),
  TLS_KEY_FILE: v.optional(v.string()),
  SMTP_URL: checked(isSmtpUrl, 'must be a URL like smtps://user:password@mail.example.com'),
  MAIL_FROM: v.optional(v.pipe(v.string(), v.email('must be an e-mail address')), 'no-reply@localhost.localdomain'),
  VAPID_PUBLIC_KEY: v.optional(v.string()),
  VAPID_PRIVATE_KEY: v.optional(v.string()),
  VAPID_SUBJECT: v.optional(
    v.pipe(v.string(), v.regex(/^(mailto:[^@\s]+@|https:\/\/)\S+$/, 'must begin with mailto: or https://')),
  ),
  SECRETS_KEY: secretsKey,
  WEBHOOK_ALLOW_PRIVATE: flag,
  ROUTING_URL: checked(isWebAddress, 'must be a URL like http://127.0.0.1:5000'),
  ROUTING_ENGINE: v.optional(v.picklist(['osrm', 'valhalla']), 'osrm'),
  EVENT_RETENTION_DAYS: integer(30, 1, 3_650),
  STRIPE_SECRET_KEY: v.optional(v.string()),
  STRIPE_WEBHOOK_SECRET: v.optional(v.string()),
  STRIPE_API_BASE: checked(isWebAddress, 'must be a URL like https://api.stripe.com'),
  FCM_SERVICE_ACCOUNT: v.optional(v.string()),
  FCM_URL: checked(isWebAddress, 'must be a URL like https://fcm.googleapis.com'),
  MAP_STYLE_URL: checked(isPlainAddress, 'must be a URL like https://tiles.example.com/style.json'),
  MAP_PMTILES: v.optional(v.string()),
  PUBLIC_URL: checked(
    isLinkBase,
    'must be a URL like https://dispatch.example.com, perhaps with a path, without a query, a fragment or a password',
  ),
  FAULT_POINT: checked(
    isFaultPoint,
    `must be one of ${FAULT_POINTS.join(', ')}; perhaps with a count, as in ${FAULT_POINTS[0]}:2`,
  ),
  NODE_ENV: v.optional(v.string()),
});

type Settings = v.InferOutput<typeof environmentSchema>;

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads and checks every setting of the process; an empty one is an unset one. This module is the only reader of
 * `process.env`.
 * Throws ConfigError naming each setting that is wrong.
 */
export function readConfig(environment: Record<string, string | undefined> = process.env) {
  // Compose and files of variables write what is not set as an empty text.
  const given = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
  const parsed = v.safeParse(environmentSchema, given);
  if (!parsed.success) {
    const problems = parsed.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);
    throw new ConfigError(`The environment has settings that cannot be used:\n  ${problems.join('\n  ')}`);
  }
  const env = parsed.output;
  checkTogether(env);
  return {
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    port: env.PORT,
    host: env.HOST,
    dataDir: env.DATA_DIR,
    internalHost: env.INTERNAL_HOST,
    internalPort: env.INTERNAL_PORT,
    workersMetrics: { host: env.WORKERS_METRICS_HOST, port: env.WORKERS_METRICS_PORT },
    /** Undefined: metrics are for this machine alone. */
    metricsToken: env.METRICS_TOKEN,
    gatewayId: env.GATEWAY_ID,
    logLevel: env.LOG_LEVEL,
    leaseMs: env.LEASE_MS,
    heartbeatMs: env.HEARTBEAT_MS,
    redisPrefix: env.REDIS_PREFIX,
    httpAdapter: env.HTTP_ADAPTER,
    sharedPort: env.SHARED_PORT,
    allowInsecureHttp: env.ALLOW_INSECURE_HTTP,
    allowVolatilePostgres: env.ALLOW_VOLATILE_POSTGRES,
    requireContentLength: env.REQUIRE_CONTENT_LENGTH,
    trustedProxies: env.TRUSTED_PROXIES,
    accessTokenTtlSeconds: env.ACCESS_TOKEN_TTL_SECONDS,
    corsOrigins: env.CORS_ORIGINS,
    tlsCertFile: env.TLS_CERT_FILE,
    tlsKeyFile: env.TLS_KEY_FILE,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    /** Undefined: those of the database. */
    vapidKeys:
      env.VAPID_PUBLIC_KEY && env.VAPID_PRIVATE_KEY
        ? { publicKey: env.VAPID_PUBLIC_KEY, privateKey: env.VAPID_PRIVATE_KEY }
        : undefined,
    /** The contact that push services write to when a push has a fault. */
    vapidSubject: env.VAPID_SUBJECT ?? `mailto:${env.MAIL_FROM}`,
    secretsKeys: env.SECRETS_KEY,
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
    routing: env.ROUTING_URL ? { url: env.ROUTING_URL, kind: env.ROUTING_ENGINE } : undefined,
    eventRetentionDays: env.EVENT_RETENTION_DAYS,
    stripe: stripeOf(env),
    /** Undefined: phones get no pushes. */
    fcm: env.FCM_SERVICE_ACCOUNT
      ? {
          serviceAccount: env.FCM_SERVICE_ACCOUNT,
          url: (env.FCM_URL ?? 'https://fcm.googleapis.com').replace(/\/+$/, ''),
        }
      : undefined,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    /** Undefined: the map of the console has a ground of its own. */
    mapStyleUrl: env.MAP_STYLE_URL,
    /** The path of a PMTiles file, which gateways look at. */
    mapFile: env.MAP_PMTILES,
    faultPoint: env.FAULT_POINT,
  };
}

/** Undefined: a test provider takes the payments. */
function stripeOf({ STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_BASE }: Settings) {
  if (!secretKey || !webhookSecret) return undefined;
  return { secretKey, webhookSecret, apiBase: STRIPE_API_BASE ?? 'https://api.stripe.com' };
}

/** Settings that are valid alone, but not together. */
function checkTogether(env: Settings): void {
  if (env.ALLOW_INSECURE_HTTP && !isLoopback(env.HOST)) {
    throw new ConfigError(
      `ALLOW_INSECURE_HTTP=1 works only on a loopback address, and HOST is ${env.HOST}. ` +
        'Serve TLS (TLS_CERT_FILE, TLS_KEY_FILE) or put a proxy in front (TRUSTED_PROXIES).',
    );
  }
  if (isWildcard(env.INTERNAL_HOST)) {
    throw new ConfigError(
      `INTERNAL_HOST is ${env.INTERNAL_HOST}, which other processes cannot connect to: ` +
        'name the address under which they reach this one.',
    );
  }
  if (Boolean(env.TLS_CERT_FILE) !== Boolean(env.TLS_KEY_FILE)) {
    throw new ConfigError('TLS needs both TLS_CERT_FILE and TLS_KEY_FILE.');
  }
  if (env.STRIPE_SECRET_KEY && !env.STRIPE_WEBHOOK_SECRET) {
    throw new ConfigError('STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET, by which callbacks are known to be genuine.');
  }
  if (env.STRIPE_WEBHOOK_SECRET && !env.STRIPE_SECRET_KEY) {
    throw new ConfigError(
      'STRIPE_WEBHOOK_SECRET needs STRIPE_SECRET_KEY: without it payments would go to the test provider, where one pays ' +
        'by pressing a button.',
    );
  }
  if (env.SHARED_PORT && env.HTTP_ADAPTER === 'node') {
    throw new ConfigError('SHARED_PORT=1 does not work with HTTP_ADAPTER=node: unset one of them.');
  }
  if ((env.VAPID_PUBLIC_KEY || env.VAPID_PRIVATE_KEY) && !isVapidPair(env.VAPID_PUBLIC_KEY, env.VAPID_PRIVATE_KEY)) {
    throw new ConfigError('VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY must be the two keys of one pair, in base64url.');
  }
  if (env.MAP_STYLE_URL && env.MAP_PMTILES) {
    throw new ConfigError('MAP_STYLE_URL and MAP_PMTILES are two grounds for one map: unset one of them.');
  }
  if (env.FAULT_POINT && env.NODE_ENV === 'production') {
    throw new ConfigError('FAULT_POINT is armed in production.');
  }
}

/** uWebSockets.js takes its bound for a head from the environment, when its binary loads. The one for Node 20 bounds only a head that comes in pieces. */
export function setNativeHeadBytes(bytes: number): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(bytes);
}

/** The address of a store that the process cannot do without. */
export function requireUrl(name: 'DATABASE_URL' | 'REDIS_URL', url: string | undefined): string {
  if (!url) throw new ConfigError(`${name} is not set. \`npm start\` brings up local stores when it is unset.`);
  return url;
}

/** Encrypts and decrypts stored secrets under the keys of SECRETS_KEY, which no process does without. */
export function requireSecretBox({ secretsKeys }: Pick<Config, 'secretsKeys'>): SecretBox {
  if (secretsKeys.length > 0) return new SecretBox(secretsKeys);
  throw new ConfigError(
    `SECRETS_KEY is not set. The secrets of webhooks are encrypted under it, so every gateway and worker needs the same one. ` +
      `Make one with: ${NEW_KEY}\n\`npm start\` keeps one of its own in DATA_DIR/secrets.key.`,
  );
}

/** Where customers reach the gateway, without a slash at the end: PUBLIC_URL, else where it listens. */
export function publicUrlOf({ publicUrl, host, port, tlsCertFile }: Config, listening = port): string {
  const name = isWildcard(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return publicUrl ?? `${tlsCertFile ? 'https' : 'http'}://${name}:${listening}`;
}

function isSecretsKey(text: string): boolean {
  const key = Buffer.from(text, 'base64');
  return key.length === SECRET_KEY_BYTES && key.toString('base64') === text;
}

function isVapidPair(publicKey = '', privateKey = ''): boolean {
  const pair = createECDH('prime256v1');
  try {
    pair.setPrivateKey(privateKey, 'base64url');
    return pair.getPublicKey('base64url') === publicKey;
  } catch {
    return false;
  }
}

function isWildcard(host: string): boolean {
  return host === '' || host === '0.0.0.0' || /^[0:]+$/.test(host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
