import { useEffect, useState } from 'preact/hooks';
import type { ProofView } from '../../../schema/tasks/proof.ts';
import { timeOf } from '../page/format.ts';
import { readFile } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { useRecord } from '../records/use-record.ts';
import { evidence as words } from '../text/english-evidence.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';

const titleOf = ({ kind, createdAt }: ProofView) => words.of(words.kinds[kind], timeOf(Date.parse(createdAt)));

/** The proofs of a task. It is read again whenever the task changes. */
export function TaskProofs({ taskId, version }: { readonly taskId: number; readonly version: string }) {
  const { data, reload } = useRecord<{ readonly items: readonly ProofView[] }>(`/tasks/${taskId}/proof`);
  const [at, open] = useState<number | null>(null);
  useEffect(() => {
    void reload();
  }, [version, reload]);
  if (!data || data.items.length === 0) return null;
  const images = data.items.filter(({ fileUrl }) => fileUrl !== null);
  return (
    <section class="proofs">
      <h3>{words.proofs}</h3>
      <ul>
        {data.items.map((proof) => (
          <li key={proof.id}>
            {proof.fileUrl === null ? (
              <span class="proof-mark">
                <Icon name="check" />
              </span>
            ) : (
              <button
                type="button"
                class="proof-mark"
                aria-label={words.open(titleOf(proof))}
                onClick={() => open(images.indexOf(proof))}
              >
                <Picture proof={proof} />
              </button>
            )}
            <span>
              {words.kinds[proof.kind]}
              <span class="soft">{timeOf(Date.parse(proof.createdAt))}</span>
            </span>
          </li>
        ))}
      </ul>
      {at !== null && images[at] && <Viewer images={images} at={at} onMove={open} onClose={() => open(null)} />}
    </section>
  );
}

/** The worker has the credential, so the picture comes through it. */
function Picture({ proof }: { readonly proof: ProofView }) {
  const [source, setSource] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setSource(null);
    setProblem(null);
    void readFile(`/tasks/${proof.taskId}/proof/${proof.id}`).then((answer) => {
      if (!isCurrent) return;
      if (answer.ok) setSource(answer.data);
      else setProblem(words.failed(refusalText(answer.failure)));
    });
    return () => {
      isCurrent = false;
    };
  }, [proof.id, proof.taskId]);
  if (problem !== null) return <span class="soft">{problem}</span>;
  return source === null ? <span class="loading" aria-hidden="true" /> : <img src={source} alt={titleOf(proof)} />;
}

interface ViewerProps {
  readonly images: readonly ProofView[];
  readonly at: number;
  readonly onMove: (at: number) => void;
  readonly onClose: () => void;
}

function Viewer({ images, at, onMove, onClose }: ViewerProps) {
  const proof = images[at]!;
  const move = (by: number) => images[at + by] && onMove(at + by);
  const press = ({ key }: KeyboardEvent) => move({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0);
  return (
    <Dialog title={titleOf(proof)} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows do as the buttons inside. */}
      <div class="viewer" onKeyDown={press}>
        <Picture proof={proof} />
        <p class="row-end">
          <span class="soft">{proof.bytes !== null && words.size(proof.bytes)}</span>
          {images.length > 1 && (
            <>
              <Button disabled={at === 0} onClick={() => move(-1)}>
                {words.previous}
              </Button>
              <Button disabled={at === images.length - 1} onClick={() => move(1)}>
                {words.next}
              </Button>
            </>
          )}
        </p>
      </div>
    </Dialog>
  );
}
