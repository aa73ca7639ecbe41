import uWS, { type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import { readConfig } from '../../engine/runtime/config.ts';
import { createReleaser } from '../../engine/runtime/lifecycle.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { stopOnSignals } from '../../engine/runtime/stop-on-signals.ts';

/**
 * The least that a server of this kind can do: uWebSockets.js collects the body and parses it as JSON, or takes the id
 * from the path, and answers the bytes that our gateway answers. It is first told them by `PUT /answers/<method>`.
 */

/** The binary answers these itself. */
const OWN_HEADERS = new Set(['content-length', 'date', 'connection', 'uwebsockets']);
const NO_ANSWER = '503 Service Unavailable';

interface Answer {
  readonly status: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const config = readConfig();
const log = createLog('bare', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
stopOnSignals(releaser, log);
const answers = new Map<string, Answer>();

const app: TemplatedApp = uWS.App();
app.get('/readyz', (res) => {
  res.end('{"status":"ready"}');
});
app.put('/answers/:method', (res, req) => {
  const method = req.getParameter(0)!;
  collect(res, (body) => {
    const answer = JSON.parse(body) as Answer;
    answers.set(method, { ...answer, headers: answer.headers.filter(([name]) => !OWN_HEADERS.has(name)) });
    res.end();
  });
});
app.post('/api/v1/tasks', (res) => {
  collect(res, (body) => {
    JSON.parse(body);
    send(res, 'POST');
  });
});
app.get('/api/v1/tasks/:id', (res, req) => {
  if (!(Number(req.getParameter(0)) > 0)) res.writeStatus('400 Bad Request').end();
  else send(res, 'GET');
});
app.listen(config.host, config.port, (socket: us_listen_socket | false) => {
  if (socket === false) throw new Error(`port ${config.port} is taken`);
});
releaser.push('http server', () => {
  app.close();
});

function collect(res: HttpResponse, onBody: (body: string) => void): void {
  let isGone = false;
  let collected: Buffer | undefined;
  res.onAborted(() => {
    isGone = true;
  });
  res.onData((chunk, isLast) => {
    const bytes = Buffer.from(chunk);
    if (isLast && !isGone) onBody((collected ? Buffer.concat([collected, bytes]) : bytes).toString());
    // The binary takes the chunk back when the handler returns.
    else collected = collected ? Buffer.concat([collected, bytes]) : Buffer.from(bytes);
  });
}

function send(res: HttpResponse, method: string): void {
  const answer = answers.get(method);
  res.cork(() => {
    res.writeStatus(answer?.status ?? NO_ANSWER);
    for (const [name, value] of answer?.headers ?? []) res.writeHeader(name, value);
    res.end(answer?.body);
  });
}
