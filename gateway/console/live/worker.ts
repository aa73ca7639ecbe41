import type { CallerView } from '../../../schema/accounts/caller.ts';
import { openTokenStore } from '../../client/token-store.ts';
import { Api, CallError } from './api.ts';
import { type Changes, LiveCore } from './live-core.ts';
import { PagePort } from './parts/page-port.ts';
import type { Answer, ApiCall, Failure, Session, ToWorker } from './protocol.ts';

/**
 * The program behind all pages of this browser: it holds the session, one stream, and the live state. A SharedWorker
 * serves every tab; where there is none, each tab has one of its own.
 */
/** After this long without an answer the page says so. */
const PATIENCE_MS = 1_500;
const AGAIN_MS = 2_000;
const FILE_MS = 20_000;
const pages = new Set<PagePort>();
let session: Session = { state: 'unknown', isCut: false, refusal: null };
let core: LiveCore | undefined;

const api = new Api({
  baseUrl: location.origin,
  store: openTokenStore('dispatch-console'),
  onEnded: () => becomeSignedOut('ended'),
  onCaller: meetCaller,
});
/** Tells the workers of other tabs, where each has its own. */
const neighbours = new BroadcastChannel('dispatch-console-session');
neighbours.onmessage = () => void begin();

function setSession(next: Session): void {
  session = next;
  for (const page of pages) page.showSession(next);
}

function becomeSignedOut(why: 'never' | 'left' | 'ended'): void {
  api.giveUpCalls();
  core?.stop();
  core = undefined;
  if (session.state !== 'signed-out') setSession({ state: 'signed-out', why });
}

async function begin(): Promise<void> {
  if (!(await api.isSignedIn())) return becomeSignedOut(session.state === 'signed-in' ? 'ended' : 'never');
  // Another tab may have another user by now: the API tells who it is.
  if (core) return void api.me().catch(() => undefined);
  const impatient = setTimeout(() => showCut(null), PATIENCE_MS);
  try {
    const { data: caller } = await api.me();
    if (!core) welcome(caller);
  } catch (error) {
    const { failure } = api.failure(error);
    if (failure.status === 401) return;
    // As of an organization that is not active. Anything else comes back by itself.
    showCut(failure.status > 0 && failure.status < 500 ? failure : null);
    setTimeout(() => void begin(), AGAIN_MS);
  } finally {
    clearTimeout(impatient);
  }
}

function welcome(caller: CallerView): void {
  setSession({ state: 'signed-in', caller });
  if (!caller.organization) return;
  core = new LiveCore(api, caller.organization.timeZone, changed);
  for (const page of pages) page.attach(core);
  void core.run();
}

/**
 * The user has another role or name, or the organization another name or time zone. Where each tab has a worker, it may be
 * another user: the tabs share the tokens, and a tab that slept has not heard of the sign-out between.
 */
function meetCaller(caller: CallerView): void {
  if (session.state !== 'signed-in') return;
  if (!isSameUser(session.caller, caller)) {
    becomeSignedOut('ended');
    return welcome(caller);
  }
  if (JSON.stringify(caller) === JSON.stringify(session.caller)) return;
  setSession({ state: 'signed-in', caller });
  if (caller.organization) core?.moveTo(caller.organization.timeZone);
}

function isSameUser(one: CallerView, other: CallerView): boolean {
  return one.user.id === other.user.id && one.organization?.id === other.organization?.id;
}

/** The organization and its users. The caller is one of these. */
const OF_CALLER = /^\/(organizations|users)\//;

/** Calls the API for a page. It may change the caller, and a refusal may be the first sign of a new role. */
async function call(asked: ApiCall): Promise<Answer> {
  const answer = await api.call(asked);
  const isOfCaller = answer.ok ? asked.method !== 'GET' && OF_CALLER.test(asked.path) : answer.failure.status === 403;
  if (isOfCaller) api.me().catch(() => undefined);
  return answer;
}

function showCut(refusal: Failure | null): void {
  if (session.state !== 'unknown' || (session.isCut && session.refusal?.code === refusal?.code)) return;
  setSession({ state: 'unknown', isCut: true, refusal });
}

function changed(changes: Changes): void {
  for (const page of pages) page.changed(changes);
}

async function signIn(email: string, password: string): Promise<Answer> {
  try {
    await api.signIn(email, password);
    await begin();
    neighbours.postMessage('changed');
    return { ok: true, status: 200, data: null };
  } catch (error) {
    if (error instanceof CallError) return { ok: false, failure: error.failure };
    return { ok: false, failure: { status: 0, code: null, message: String(error), details: null } };
  }
}

/** A file of the API as a data URL. Never rejects: a refusal is an answer. */
async function readFile(path: string): Promise<Answer<string>> {
  try {
    const reply = await api.open(path, AbortSignal.timeout(FILE_MS));
    const bytes = await reply.blob();
    return { ok: true, status: reply.status, data: await dataUrlOf(bytes) };
  } catch (error) {
    return { ok: false, failure: api.failure(error).failure };
  }
}

function dataUrlOf(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(bytes);
  });
}

async function take(page: PagePort, message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'call':
      return page.answer(message.id, await call(message.call));
    case 'file':
      return page.answer(message.id, await readFile(message.path));
    case 'question':
      return page.answer(message.id, { ok: true, status: 200, data: page.reply(message.question) });
    case 'sign-in':
      return page.answer(message.id, await signIn(message.email, message.password));
    case 'sign-out':
      becomeSignedOut('left');
      await api.signOut();
      return neighbours.postMessage('changed');
    case 'watch':
      return page.watch(message.watch);
    case 'meet':
      return core?.meet(message.agentId);
    case 'painted':
      return page.painted(message.drawMs);
    case 'leave':
      pages.delete(page);
  }
}

function join(port: MessagePort | DedicatedWorkerGlobalScope): void {
  const page = new PagePort((message) => port.postMessage(message));
  pages.add(page);
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => void take(page, data);
  page.showSession(session);
  if (!core) return;
  page.attach(core);
  core.lookAround();
}

interface DedicatedWorkerGlobalScope {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

if ('onconnect' in self) self.onconnect = ({ ports }: { ports: MessagePort[] }) => join(ports[0]!);
else join(self as unknown as DedicatedWorkerGlobalScope);
void begin();
