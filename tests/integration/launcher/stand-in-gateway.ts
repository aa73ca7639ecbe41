import { createServer } from 'node:http';

/** Answers what the launcher asks of a gateway, knows one key, and tells the tests where its stores are. */
const {
  PORT,
  HOST,
  DATABASE_URL,
  REDIS_URL,
  SECRETS_KEY,
  STAND_IN_KEY = 'dk_live_1',
  STAND_IN_GATEWAY_FAILS,
  STAND_IN_STOP_MS = '0',
} = process.env;

if (STAND_IN_GATEWAY_FAILS) {
  console.error('no gateway today');
  process.exit(3);
}
const server = createServer((request, response) => {
  const isOpen = request.url === '/readyz' || request.url === '/stores';
  response.statusCode = isOpen || request.headers['x-api-key'] === STAND_IN_KEY ? 200 : 401;
  const stores = { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL, secretsKey: SECRETS_KEY };
  response.end(JSON.stringify({ pid: process.pid, ...stores }));
});
server.listen(Number(PORT), HOST, () => {
  console.log(JSON.stringify({ level: 30, time: new Date().toISOString(), name: 'gateway', msg: 'listening' }));
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => setTimeout(() => process.exit(0), Number(STAND_IN_STOP_MS)));
