import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { settingsText } from '../text/english-settings.ts';
import { Button } from '../ui/controls.tsx';
import { Waiting } from './record-parts.tsx';
import { useRecord } from './use-record.ts';

/** The API gives at most so many at once: each further page is a list of its own below. */
const PAGE = 100;

interface Props<Item> {
  readonly title: string;
  readonly hint?: string;
  /** The path of the list in the API. */
  readonly path: string;
  /** Stay while a list is read, and when it is refused. */
  readonly filters?: ComponentChildren;
  readonly add?: (reload: () => Promise<void>) => ComponentChildren;
  readonly record: (item: Item, reload: () => Promise<void>) => ComponentChildren;
  /** Stands where the list would be, when it has nothing. */
  readonly empty?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A section of the settings that lists records of the API, page after page. */
export function RecordPages<Item>(props: Props<Item>) {
  return (
    <div class="settings-form">
      <h2>{props.title}</h2>
      {props.hint !== undefined && <p class="say">{props.hint}</p>}
      {props.filters}
      <Pages key={props.path} {...props} />
      {props.children}
    </div>
  );
}

function Pages<Item>(props: Props<Item>) {
  const [count, setCount] = useState(1);
  const pages = Array.from({ length: count }, (_, index) => index + 1);
  return pages.map((page) => (
    <RecordPage key={page} {...props} page={page} isLast={page === count} onMore={() => setCount(count + 1)} />
  ));
}

interface PageProps<Item> extends Props<Item> {
  readonly page: number;
  readonly isLast: boolean;
  readonly onMore: () => void;
}

function RecordPage<Item>({ path, page, isLast, onMore, add, record, empty }: PageProps<Item>) {
  const { data, problem, reload } = useRecord<{ readonly items: readonly Item[]; readonly count: number }>(
    `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}&page=${page}`,
  );
  if (!data) return <Waiting problem={problem} reload={reload} />;
  return (
    <>
      {page === 1 && add?.(reload)}
      {data.count === 0 && empty ? empty : <ul class="records">{data.items.map((item) => record(item, reload))}</ul>}
      {isLast && page * PAGE < data.count && <Button onClick={onMore}>{settingsText.more}</Button>}
    </>
  );
}
