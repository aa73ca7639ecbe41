import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { createNoticeStore } from '../../../engine/store/notifications/notice-store.ts';
import { connectPostgres } from '../../../engine/store/postgres.ts';
import { createMailTransport } from '../../../workers/notifications/mail-transport.ts';
import { NoticeSender } from '../../../workers/notifications/notice-sender.ts';
import { followToEnd } from '../../integration/notifications/notice-place.ts';
import { startMailServer } from '../../integration/workers/mail/mail-server.ts';
import { type ReadMail, readMail } from '../../integration/workers/mail/received-mail.ts';
import { until } from '../../support/until.ts';

/** Sends what is due to customers of an organization over SMTP, as workers do. Resolves to the mails as they arrived. */
export async function sentMails(databaseUrl: string, organizationId: number): Promise<readonly ReadMail[]> {
  const server = await startMailServer();
  const sql = connectPostgres(databaseUrl, { name: 'test', connections: 2, statementTimeoutMs: 30_000 });
  const [clock, scheduler, random] = [systemClock, systemScheduler, createRandomSource()];
  try {
    await followToEnd(sql, organizationId, 1);
    const sender = new NoticeSender({
      store: createNoticeStore(sql),
      pushes: { send: async () => ({ kind: 'sent' }) },
      sendMail: createMailTransport({
        ...{ smtpUrl: server.url, from: 'dispatch@example.com', outbox: '', clock, random },
      }),
      publicUrl: 'https://dispatch.example.com',
      fault: () => {},
      draw: () => 0.5,
      log: createLog('workers', 'silent'),
      ...{ clock, scheduler },
    });
    await until('nothing is due', async () => {
      const due = await sql`
        SELECT FROM notifications WHERE organization_id = ${organizationId} AND status = 'pending' LIMIT 1`;
      return due.length === 0;
    });
    await sender.stop();
    return server.received.map(({ source }) => readMail(source));
  } finally {
    await sql.end({ timeout: 5 });
    await server.stop();
  }
}
