import { useState } from 'preact/hooks';
import type { AuditEntryView } from '../../../schema/accounts/audit.ts';
import type { AccountView } from '../../../schema/accounts/user.ts';
import { timeOf } from '../page/format.ts';
import { nowMs } from '../page/state.ts';
import { LAST_TIME, momentOf } from '../page/zoned-time.ts';
import { RecordPages } from '../records/record-pages.tsx';
import { useAll } from '../records/use-all.ts';
import { auditText as words } from '../text/english-notices.ts';
import { Field } from '../ui/controls.tsx';
import { auditChanges } from './audit-changes.ts';

type Names = ReadonlyMap<number, string>;
const NO_FILTER = { type: '', id: '', from: '', to: '' };

/** The changes, each with its actor. The newest entry is that of the moment at which it was opened, so that no page moves under the reader. */
export function AuditSection() {
  const [filter, setFilter] = useState(NO_FILTER);
  const [openedMs] = useState(() => nowMs.peek());
  const users = useAll<AccountView>('/users');
  const names: Names = new Map(users.map(({ id, firstName, lastName }) => [id, `${firstName} ${lastName}`.trim()]));
  const from = momentOf(filter.from);
  const query = new URLSearchParams({ to: new Date(momentOf(filter.to) ?? openedMs).toISOString() });
  if (filter.type !== '') query.set('recordType', filter.type);
  if (/^\d+$/.test(filter.id)) query.set('recordId', filter.id);
  if (from !== null) query.set('from', new Date(from).toISOString());
  const path = `/audit-logs?${query}`;
  return (
    <RecordPages<AuditEntryView>
      title={words.title}
      hint={words.hint}
      path={path}
      empty={<p class="say">{words.none}</p>}
      filters={<Filters filter={filter} onChange={(change) => setFilter({ ...filter, ...change })} />}
      record={(entry) => <Entry key={entry.id} entry={entry} names={names} />}
    />
  );
}

interface FilterProps {
  readonly filter: typeof NO_FILTER;
  readonly onChange: (change: Partial<typeof NO_FILTER>) => void;
}

function Filters({ filter, onChange }: FilterProps) {
  const time = (name: 'from' | 'to') => (
    <Field id={`audit-${name}`} label={words[name]}>
      {(props) => (
        <input
          {...props}
          type="datetime-local"
          max={LAST_TIME}
          value={filter[name]}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <div class="add-record">
      <Field id="audit-type" label={words.record}>
        {(props) => (
          <select
            {...props}
            value={filter.type}
            onChange={({ currentTarget }) => onChange({ type: currentTarget.value })}
          >
            <option value="">{words.every}</option>
            {Object.entries(words.types).map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field id="audit-id" label={words.recordId}>
        {(props) => (
          <input
            {...props}
            inputMode="numeric"
            value={filter.id}
            onChange={({ currentTarget }) => onChange({ id: currentTarget.value.trim() })}
          />
        )}
      </Field>
      {time('from')}
      {time('to')}
    </div>
  );
}

function actorOf({ actor }: AuditEntryView, names: Names): string {
  const name = actor.userId === null ? undefined : names.get(actor.userId);
  if (actor.type === 'channel') return words.channel(actor.id);
  if (name !== undefined) return name;
  if (actor.type === 'agent') return words.agent(actor.id);
  return actor.type === 'user' ? words.user(actor.userId) : words.system;
}

function Entry({ entry, names }: { readonly entry: AuditEntryView; readonly names: Names }) {
  const { at, action, record, address, correlationId } = entry;
  const changes = auditChanges(entry);
  return (
    <li class="audited">
      <details>
        <summary>
          <span class="what">
            <strong>
              {words.types[record.type] ?? record.type} {record.id}
            </strong>
            <code dir="ltr">{action}</code>
          </span>
          <bdi>{actorOf(entry, names)}</bdi>
          <time class="soft">{timeOf(Date.parse(at))}</time>
        </summary>
        {changes.length === 0 ? (
          <p class="say">{words.unchanged}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, so the keyboard has to reach it.
          <div class="scroll" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  {[words.field, words.before, words.after].map((title) => (
                    <th key={title} scope="col">
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {changes.map(({ field, before, after }) => (
                  <tr key={field}>
                    <th scope="row">{field}</th>
                    <td dir="auto">{before}</td>
                    <td dir="auto">{after}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <p class="soft">
          {address && `${words.address} ${address}`} {correlationId && `${words.correlation} ${correlationId}`}
        </p>
      </details>
    </li>
  );
}
