import type { ChannelView } from '../../../schema/accounts/channel.ts';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { useAll } from '../records/use-all.ts';
import { text } from '../text/english.ts';
import { webhooksText } from '../text/english-webhooks.ts';
import { narrowsStatuses, type WebhookForm } from './webhook-fields.ts';

const { form: words } = webhooksText;

interface Props {
  readonly form: WebhookForm;
  readonly set: (change: Partial<WebhookForm>) => void;
}

/** The statuses whose event is sent. Other events have no status to choose by. */
export function StatusesField({ form, set }: Props) {
  if (!narrowsStatuses(form)) return null;
  return (
    <Choice
      legend={words.statuses}
      hint={words.statusesHint}
      options={TASK_STATUSES.map((status) => [status, text.status[status]!])}
      chosen={form.statuses}
      onChange={(statuses) => set({ statuses })}
    />
  );
}

/** The channels whose tasks are sent. One that is chosen and not listed can still be taken away. */
export function ChannelsField({ form, set }: Props) {
  const listed = useAll<ChannelView>('/channels');
  const { channelIds } = form;
  const others = channelIds.filter((id) => !listed.some((channel) => channel.id === id));
  const options = [
    ...listed.map(({ id, name }) => [id, name] as const),
    ...others.map((id) => [id, words.channel(id)] as const),
  ];
  if (options.length === 0) return null;
  return (
    <Choice
      legend={words.channels}
      hint={words.channelsHint}
      options={options}
      chosen={channelIds}
      onChange={(next) => set({ channelIds: next })}
    />
  );
}

interface ChoiceProps<Value> {
  readonly legend: string;
  readonly hint: string;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

function Choice<Value extends string | number>({ legend, hint, options, chosen, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset class="events narrowing">
      <legend>{legend}</legend>
      <p class="soft">{hint}</p>
      {options.map(([value, label]) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
          <bdi>{label}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
