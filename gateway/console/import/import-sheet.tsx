import { useState } from 'preact/hooks';
import { closeDialog } from '../actions/dialog-state.ts';
import { importText as words } from '../text/english-import.ts';
import { paletteText } from '../text/english-palette.ts';
import { Button, Field } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { openTable, pasted, table } from './import-state.ts';
import { ImportTable } from './import-table.tsx';
import { decodeFile } from './parse-lines.ts';
import { COLUMN_NAMES, columnOf } from './task-columns.ts';

const FILES = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain';

/** Makes many tasks from a table. It is looked at and mended before anything is sent. */
export function ImportSheet() {
  return (
    <Dialog title={paletteText.manyTasks} isWide onClose={closeDialog}>
      {table.value ? <ImportTable table={table.value} /> : <Paste />}
    </Dialog>
  );
}

function Paste() {
  const [problem, setProblem] = useState<string | null>(null);
  const look = () => setProblem(openTable(pasted.peek()) ?? null);

  async function take(files: FileList | null | undefined): Promise<void> {
    const file = files?.[0];
    if (!file) return;
    const text = decodeFile(new Uint8Array(await file.arrayBuffer()));
    if (text === undefined) return setProblem(words.workbook);
    pasted.value = text;
    look();
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        look();
      }}
    >
      <Field id="import-text" label={words.paste} hint={words.pasteHint} error={problem}>
        {(props) => (
          <textarea
            {...props}
            autofocus
            rows={10}
            dir="auto"
            spellcheck={false}
            placeholder={words.example}
            value={pasted.value}
            onInput={({ currentTarget }) => {
              pasted.value = currentTarget.value;
              setProblem(null);
            }}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              if (!event.dataTransfer?.files.length) return;
              event.preventDefault();
              void take(event.dataTransfer.files);
            }}
          />
        )}
      </Field>
      <Field id="import-file" label={words.file}>
        {(props) => (
          <input
            {...props}
            type="file"
            accept={FILES}
            onChange={({ currentTarget }) => void take(currentTarget.files)}
          />
        )}
      </Field>
      <Known />
      <p class="row-end">
        <Button type="submit" kind="main">
          {words.look}
        </Button>
      </p>
    </form>
  );
}

function Known() {
  return (
    <details class="known-columns">
      <summary>{words.known}</summary>
      <p class="say">{words.knownHint}</p>
      <ul>
        {COLUMN_NAMES.map((name) => (
          <li key={name}>
            {words.columns[name]} <code class="soft">{columnOf(name).path}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
