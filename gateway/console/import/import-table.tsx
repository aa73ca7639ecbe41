import { useState } from 'preact/hooks';
import { closeDialog } from '../actions/dialog-state.ts';
import { isDrafting } from '../page/draft.ts';
import { go, taskId } from '../page/state.ts';
import { importText as words } from '../text/english-import.ts';
import { Button, Toggle } from '../ui/controls.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import {
  changeCell,
  discardTable,
  isMended,
  type JudgedLine,
  judgedLines,
  nameColumn,
  table as shownTable,
  type Table,
} from './import-state.ts';
import { decideUndecided, isSending, isTooOld, sendTable, undecided } from './send-table.ts';
import { COLUMN_NAMES, type ColumnName } from './task-columns.ts';

/** Lines that are on the screen at first, and that each press of the button adds. */
const STEP = 100;
const [LEAST_CHARS, MOST_CHARS] = [8, 32];
const ICONS: Readonly<Record<JudgedLine['state'], IconName>> = {
  ready: 'circle',
  wrong: 'risk',
  sending: 'dashed',
  undecided: 'dashed',
  refused: 'risk',
  created: 'check',
  existing: 'check',
};

/** The table before it is sent, and the result of each line after it. */
export function ImportTable({ table }: { readonly table: Table }) {
  const [limit, setLimit] = useState(STEP);
  // The lines that needed mending when this was chosen: none leaves while it is mended.
  const [only, setOnly] = useState<ReadonlySet<number> | null>(null);
  const lines = judgedLines.value;
  const wrong = lines.filter((line) => !isMended(line));
  const wanted = only === null ? lines : lines.filter(({ line }) => only.has(line));
  const sizes = table.columns.map((_, at) => sizeOf(lines, at));
  return (
    <>
      <p class="import-summary" role="status">
        <span>
          {words.summary(lines.length, lines.filter(({ state }) => state === 'created').length, wrong.length)}
        </span>
        {(wrong.length > 0 || only) && (
          <Toggle on={only !== null} onChange={(on) => setOnly(on ? new Set(wrong.map(({ line }) => line)) : null)}>
            {words.onlyWrong}
          </Toggle>
        )}
      </p>
      {table.notes.map((note) => (
        <p key={note} class="say">
          {note}
        </p>
      ))}
      <section class="import-lines" aria-label={words.paste}>
        <table>
          <Head table={table} />
          {wanted.slice(0, limit).map((line) => (
            <LineRows key={line.line} line={line} columns={table.columns} sizes={sizes} />
          ))}
        </table>
        {wanted.length > limit && (
          <Button kind="quiet" onClick={() => setLimit(limit + STEP)}>
            {words.more(Math.min(STEP, wanted.length - limit))}
          </Button>
        )}
      </section>
      <End lines={lines} />
    </>
  );
}

/** The room for a column, in characters: for its longest cell, within reason. */
function sizeOf(lines: readonly JudgedLine[], at: number): number {
  const longest = lines.reduce((most, { cells }) => Math.max(most, cells[at]?.length ?? 0), 0);
  return Math.min(MOST_CHARS, Math.max(LEAST_CHARS, longest));
}

function Head({ table: { columns, headings } }: { readonly table: Table }) {
  return (
    <thead>
      <tr>
        <th scope="col">{words.line}</th>
        <th scope="col">{words.state}</th>
        {columns.map((column, at) => (
          <th key={at} scope="col">
            <select
              aria-label={words.column(at + 1, headings[at] ?? '')}
              title={headings[at]}
              class={column === null ? 'left-out' : ''}
              value={column ?? ''}
              onChange={({ currentTarget }) => nameColumn(at, (currentTarget.value || null) as ColumnName | null)}
            >
              <option value="">{[words.leftOut, headings[at]].filter(Boolean).join(': ')}</option>
              {COLUMN_NAMES.map((name) => (
                <option key={name} value={name}>
                  {words.columns[name]}
                </option>
              ))}
            </select>
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RowProps {
  readonly line: JudgedLine;
  readonly columns: Table['columns'];
  readonly sizes: readonly number[];
}

/** A line, and below it what is wrong with it. */
function LineRows({ line, columns, sizes }: RowProps) {
  const { state, sent, faults } = line;
  const said = [...faults.map((fault) => fault.words), ...('words' in sent ? [sent.words] : [])];
  const note = `import-line-${line.line}`;
  return (
    <tbody class={state}>
      <tr>
        <th scope="row">{line.line}</th>
        <td class="state">
          <Icon name={ICONS[state]} />
          {sent.kind === 'created' ? <Created id={sent.taskId} code={sent.code} /> : words.states[state]}
        </td>
        {columns.map((column, at) => (
          <td key={at}>
            <Cell
              line={line}
              at={at}
              column={column}
              size={sizes[at]!}
              note={faults.some((fault) => fault.column === column) ? note : undefined}
            />
          </td>
        ))}
      </tr>
      {said.length > 0 && (
        <tr class="faults">
          <td colSpan={columns.length + 2}>
            <p id={note}>{said.join(' ')}</p>
          </td>
        </tr>
      )}
    </tbody>
  );
}

interface CellProps {
  readonly line: JudgedLine;
  readonly at: number;
  readonly column: ColumnName | null;
  /** The id of the text that says what is wrong with the cell. */
  readonly note: string | undefined;
  /** In characters. */
  readonly size: number;
}

function Cell({ line: { line, cells, state }, at, column, note, size }: CellProps) {
  const cell = cells[at] ?? '';
  const isFixed = !['ready', 'wrong', 'refused'].includes(state);
  if (isFixed || column === null) return <span class={column === null ? 'left-out' : ''}>{cell}</span>;
  return (
    <input
      type="text"
      dir="auto"
      size={size}
      aria-label={words.cell(words.columns[column], line)}
      aria-invalid={note !== undefined}
      aria-describedby={note}
      value={cell}
      onInput={({ currentTarget }) => changeCell(line, at, currentTarget.value)}
    />
  );
}

function Created({ id, code }: { readonly id: number; readonly code: string }) {
  const open = () => {
    closeDialog();
    // The draft is kept; its form would hide the task.
    isDrafting.value = false;
    go('map');
    taskId.value = id;
  };
  return (
    <button type="button" class="link" onClick={open}>
      {words.states.created} <bdi>{code}</bdi>
    </button>
  );
}

function backToText(): void {
  shownTable.value = null;
}

function End({ lines }: { readonly lines: readonly JudgedLine[] }) {
  const ready = lines.filter(({ state }) => state === 'ready' || state === 'refused').length;
  const left = lines.filter(({ state }) => state === 'wrong').length;
  const open = undecided.value?.lines.length ?? 0;
  const isOver = lines.every(({ state }) => state === 'created' || state === 'existing');
  // Once some lines are tasks, the text would make them a second time.
  if (isTooOld.value && !isSending.value) return <Forgotten count={open} />;
  const isFresh = open === 0 && lines.every(({ state }) => state === 'ready' || state === 'wrong');
  return (
    <>
      {open > 0 && !isSending.value && (
        <p class="fault" role="alert">
          {words.undecided(open)}
        </p>
      )}
      {open === 0 && left > 0 && ready > 0 && <p class="say">{words.partly}</p>}
      <p class="row-end">
        {isFresh && !isSending.value && <Button onClick={backToText}>{words.back}</Button>}
        <Button disabled={isSending.value} onClick={discardTable}>
          {isOver ? words.other : words.discard}
        </Button>
        {(ready > 0 || open > 0 || isSending.value) && (
          <Button kind="main" busy={isSending.value} onClick={() => void sendTable()}>
            {open > 0 ? words.again(open) : words.send(ready)}
          </Button>
        )}
      </p>
    </>
  );
}

/** A person looks, and decides about lines whose key the engine may have forgotten. */
function Forgotten({ count }: { readonly count: number }) {
  return (
    <>
      <p class="fault" role="alert">
        {words.forgotten(count)}
      </p>
      <p class="say">{words.lookForThem}</p>
      <p class="row-end">
        <Button onClick={discardTable}>{words.discard}</Button>
        <Button onClick={() => decideUndecided(true)}>{words.exist}</Button>
        <Button onClick={() => decideUndecided(false)}>{words.missing}</Button>
      </p>
    </>
  );
}
