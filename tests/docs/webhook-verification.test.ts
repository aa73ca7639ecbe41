import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { signDelivery } from '../../engine/domain/outbound/webhook-signature.ts';
import { withProgram } from '../support/installed-programs.ts';

/** The programs of the guide, as they stand there, against deliveries that our own signer signed. */

const GUIDE = 'docs/guides/webhook-verification.md';
const START_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'verify-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Language {
  /** The mark of its block in the guide, and the name of its file. */
  readonly block: string;
  readonly file: string;
  /** The program that a machine must have. */
  readonly needs: string;
  /** The command that runs the file; compiles it first where that is the way. */
  readonly prepare: (path: string) => readonly [program: string, ...args: string[]];
}

const LANGUAGES: readonly Language[] = [
  { block: 'js', file: 'verify.mjs', needs: 'node', prepare: (path) => [process.execPath, path] },
  { block: 'python', file: 'verify.py', needs: 'python3', prepare: (path) => ['python3', path] },
  { block: 'go', file: 'verify.go', needs: 'go', prepare: compiledGo },
  { block: 'php', file: 'verify.php', needs: 'php', prepare: (path) => ['php', path] },
  { block: 'ruby', file: 'verify.rb', needs: 'ruby', prepare: (path) => ['ruby', path] },
];

function compiledGo(path: string): readonly [string] {
  const program = join(folder, 'verify-go');
  const env = { PATH: process.env['PATH'], HOME: folder, GOCACHE: join(folder, 'go-cache'), GO111MODULE: 'off' };
  execFileSync('go', ['build', '-o', program, path], { env, timeout: START_MS });
  return [program];
}

const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32, '.')).toString('base64')}`;
const [SECRET, OLD, OTHER] = ['now', 'before', 'of somebody else'].map(secretOf) as [string, string, string];
const BODY = '{"type":"task.completed","data":{"name":"Größe 5 – \u{1F4E6}"}}';
const now = () => Math.floor(Date.now() / 1_000);

interface Delivery {
  readonly secrets?: readonly string[];
  readonly timestamp?: string;
  /** Seconds since it was signed: a slow machine takes minutes for all deliveries. */
  readonly age?: number;
  readonly body?: string;
  /** The body that arrives in place of the signed one. */
  readonly arrived?: string;
  readonly signature?: (genuine: string) => string;
  readonly id?: string;
  /** The secret that the program has; null for a variable that is not set. */
  readonly known?: string | null;
}

const TIME = 'its time is not now';
const SIGNATURE = 'no signature fits its body';
const NO_SECRET = 'the secret is missing or broken';
/** The key that a program has when it decodes no secret, and that everybody can sign with. */
const EMPTY = ['whsec_'];

const DELIVERIES: readonly (readonly [name: string, printed: string, delivery: Delivery])[] = [
  ['as it was sent', 'genuine', {}],
  ['with an empty body', 'genuine', { body: '' }],
  ['of a while ago', 'genuine', { age: 200 }],
  ['signed by both secrets of a rotation', 'genuine', { secrets: [SECRET, OLD] }],
  ['signed by both secrets, ours last', 'genuine', { secrets: [OLD, SECRET] }],
  ['with a signature of a version to come', 'genuine', { signature: (genuine) => `v2,abc= ${genuine}` }],
  ['with another body', SIGNATURE, { arrived: `${BODY} ` }],
  ['with another id', SIGNATURE, { id: 'evt_2' }],
  ['signed by another secret', SIGNATURE, { secrets: [OTHER] }],
  ['without a signature', SIGNATURE, { signature: () => '' }],
  ['with half a signature', SIGNATURE, { signature: (genuine) => genuine.slice(0, 20) }],
  ['with a signature of another version', SIGNATURE, { signature: (genuine) => genuine.replace('v1,', 'v2,') }],
  ['of an hour ago', TIME, { age: 3_600 }],
  ['of an hour ahead', TIME, { age: -3_600 }],
  ['without a time', TIME, { timestamp: '' }],
  ['with a time that is none', TIME, { timestamp: 'soon' }],
  ['signed with nothing, where no secret is set', NO_SECRET, { secrets: EMPTY, known: null }],
  ['signed with nothing, where the secret is empty', NO_SECRET, { secrets: EMPTY, known: '' }],
  ['signed with nothing, where the secret is only its prefix', NO_SECRET, { secrets: EMPTY, known: 'whsec_' }],
  ['signed with nothing, where the secret is not base64', NO_SECRET, { secrets: EMPTY, known: 'whsec_%%%%' }],
  ['signed with nothing, where the secret is cut off', NO_SECRET, { secrets: EMPTY, known: 'whsec_A' }],
];

for (const { block, file, needs, prepare } of LANGUAGES) {
  test(`the guide's program in ${block} takes genuine deliveries and refuses all others`, withProgram(needs), () => {
    const path = join(folder, file);
    writeFileSync(path, programOf(block));
    const [command, ...rest] = prepare(path);
    for (const [name, expected, delivery] of DELIVERIES) {
      const { input, env } = requestOf(delivery);
      const { status, stdout, stderr } = spawnSync(command, rest, { input, env, encoding: 'utf8', timeout: START_MS });
      assert.equal(stdout.trim(), expected, `a delivery ${name}\n${stderr}`);
      assert.equal(status, expected === 'genuine' ? 0 : 1, name);
    }
  });
}

function programOf(block: string): string {
  const found = new RegExp(`^\`\`\`${block}\\n(.*?)^\`\`\`$`, 'ms').exec(readFileSync(GUIDE, 'utf8'));
  assert.ok(found, `${GUIDE} has no program in ${block}`);
  return found[1]!;
}

function requestOf({
  secrets = [SECRET],
  age = 0,
  timestamp = `${now() - age}`,
  body = BODY,
  known = SECRET,
  ...other
}: Delivery) {
  const { arrived = body, signature, id = 'evt_1' } = other;
  const signed = signDelivery({ id: 'evt_1', timestampSeconds: Number(timestamp) || now(), body, secrets });
  const env = {
    PATH: process.env['PATH'],
    WEBHOOK_ID: id,
    WEBHOOK_TIMESTAMP: timestamp,
    WEBHOOK_SIGNATURE: signature ? signature(signed) : signed,
    ...(known !== null && { WEBHOOK_SECRET: known }),
  };
  return { input: arrived, env };
}
