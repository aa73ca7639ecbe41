import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../engine/runtime/clock.ts';
import { withDeadline } from '../../../../engine/runtime/deadline.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { hashSecret } from '../../../../engine/runtime/secrets.ts';
import {
  createMailTransport,
  type MailWaits,
  NoAnswerError,
} from '../../../../workers/notifications/mail-transport.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/services/tcp-proxy.ts';
import { until } from '../../../support/until.ts';
import { FROM, useMail } from './mail-place.ts';
import { type Behaviour, startMailServer } from './mail-server.ts';

const withMail = useMail();

const PATIENT: MailWaits = { handOverMs: 60_000, answerMs: 60_000, customerAnswerMs: 60_000 };
const SHORT_MS = 300;

interface Outcome {
  readonly is: string;
  readonly behaviour: (proxy: TcpProxy) => Behaviour;
  readonly waits?: Partial<MailWaits>;
  /** A try before was put off before the mail. */
  readonly isPutOffFirst?: boolean;
  /** After the first try: mails that the server had, links that are good, and whether another try is due. */
  readonly first: readonly [had: number, good: number, due: boolean];
  /** After a second try with the same outcome, where one is due. */
  readonly second?: readonly [had: number, good: number, due: boolean];
}

const refusing = (responseCode: number) => async () => {
  throw Object.assign(new Error('no'), { responseCode });
};
const never = () => new Promise<void>(() => {});
const cutting = (proxy: TcpProxy) => async () => {
  for (const connection of proxy.connections('')) connection.cut();
  await never();
};

const OUTCOMES: readonly Outcome[] = [
  { is: 'put off before the mail', behaviour: () => ({ refusal: 451 }), first: [0, 0, true], second: [0, 0, true] },
  { is: 'refused before the mail', behaviour: () => ({ refusal: 550 }), first: [0, 0, false] },
  { is: 'put off after it', behaviour: () => ({ onMail: refusing(451) }), first: [1, 0, true], second: [2, 0, true] },
  { is: 'refused after it', behaviour: () => ({ onMail: refusing(554) }), first: [1, 0, false] },
  {
    is: 'no answer before the mail',
    behaviour: () => ({ onAddressee: never }),
    waits: { handOverMs: SHORT_MS },
    ...{ first: [0, 0, true], second: [0, 0, true] },
  },
  {
    is: 'no answer after it',
    behaviour: () => ({ onMail: never }),
    waits: { answerMs: SHORT_MS },
    ...{ first: [1, 1, true], second: [2, 2, false] },
  },
  {
    is: 'no answer after it, when a try before was put off',
    isPutOffFirst: true,
    behaviour: () => ({ onMail: never }),
    waits: { answerMs: SHORT_MS },
    ...{ first: [1, 1, true], second: [2, 2, false] },
  },
  {
    is: 'connection lost before the mail',
    behaviour: (proxy) => ({ onAddressee: cutting(proxy) }),
    ...{ first: [0, 0, true], second: [0, 0, true] },
  },
  {
    is: 'connection lost after it',
    behaviour: (proxy) => ({ onMail: cutting(proxy) }),
    ...{ first: [1, 1, true], second: [2, 2, false] },
  },
  {
    is: 'a late answer',
    behaviour: () => ({ onMail: () => delay(4_000) }),
    waits: { handOverMs: 3_000 },
    first: [1, 1, false],
  },
];

for (const { is, behaviour, waits, isPutOffFirst = false, first, second } of OUTCOMES) {
  test(`a link lives, and its mail is tried again, as its outcome has it: ${is}`, () =>
    withMail(async (place) => {
      const { sql, server, user, request, requests, mailing } = place;
      const proxy = await startTcpProxy(server.url);
      Object.assign(place.behaviour, behaviour(proxy));
      await request('verify_email', (await user()).email);
      let tries = 0;
      const tryOnce = async () => {
        tries += 1;
        await sql`UPDATE mail_requests SET due_at = now()`;
        await mailing(
          () =>
            until('it was tried', async () => {
              const [left] = await requests();
              // Leased, it would be due much later.
              return left === undefined || (left.attempts === tries && left.dueInMs < SHORT_MS + 11_000);
            }),
          { smtpUrl: proxy.url, waits: { ...PATIENT, ...waits } },
          () => () => {},
        );
      };
      const state = async () => {
        const links = await sql<{ hash: string }[]>`SELECT encode(token_hash, 'hex') AS hash FROM user_tokens`;
        const good = new Set(links.map(({ hash }) => hash));
        for (const { token } of server.received) if (first[1] > 0) assert.ok(good.has(hashSecret(token)));
        return [server.received.length, good.size, (await requests()).length > 0];
      };
      try {
        if (isPutOffFirst) {
          place.behaviour.refusal = 451;
          await tryOnce();
          place.behaviour.refusal = undefined;
        }
        await tryOnce();
        assert.deepEqual(await state(), first);
        if (second === undefined) return;
        await tryOnce();
        assert.deepEqual(await state(), second);
      } finally {
        await proxy.stop();
      }
    }));
}

test("a customer's mail waits for its own time for the answer, and what is not answered says so", {
  timeout: 30_000,
}, async () => {
  const server = await startMailServer({ onMail: never });
  const options = { from: FROM, outbox: '', clock: systemClock, random: createRandomSource(), smtpUrl: server.url };
  const send = createMailTransport({ ...options, waits: { ...PATIENT, customerAnswerMs: SHORT_MS } });
  const mail = { organizationId: 1, purpose: 'tracking', to: 'ada@example.com', subject: 'Hi', text: 'Hello' } as const;
  try {
    await assert.rejects(withDeadline(send(mail), 20_000, 'waiting'), NoAnswerError);
  } finally {
    await server.stop();
  }
});
