import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { readMail } from './received-mail.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they came. */
  readonly source: string;
  /** The token in its link. */
  readonly token: string;
}

export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Connections that got as far as naming an addressee. */
  readonly attempts: () => number;
  stop(): Promise<void>;
}

/**
 * The server's treatment of a mail: refuse the addressee with a code, or run a step of the test's own once the
 * addressee or the mail is there; the step's error is the answer.
 */
export interface Behaviour {
  refusal?: number | undefined;
  onAddressee?: (() => Promise<void>) | undefined;
  onMail?: ((mail: ReceivedMail) => Promise<void>) | undefined;
}

/** A real SMTP server on a free port. */
export async function startMailServer(behaviour: Behaviour = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let attempts = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_address, _session, callback) {
      attempts += 1;
      const { refusal } = behaviour;
      if (refusal) return callback(Object.assign(new Error('not now'), { responseCode: refusal }));
      Promise.resolve(behaviour.onAddressee?.()).then(() => callback(), callback);
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const source = Buffer.concat(chunks).toString('utf8');
        const mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source,
          token: tokenIn(source),
        };
        received.push(mail);
        Promise.resolve(behaviour.onMail?.(mail)).then(() => callback(), callback);
      });
    },
  });
  // A client that is killed in the middle of a conversation is what some tests are about.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    attempts: () => attempts,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The token of a mail; empty when it stands on no line of its own. */
export function tokenIn(source: string): string {
  const [, token = ''] = /\?token=(d[vpw]_[A-Za-z0-9]{40})$/m.exec(readMail(source).text) ?? [];
  return token;
}
