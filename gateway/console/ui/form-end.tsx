import { Button } from './controls.tsx';

interface Props {
  /** Why the last try was refused. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly submit: string;
  readonly leave: string;
  readonly onLeave: () => void;
}

/** The end of a form: what is wrong, a way out, and the button that sends it. */
export function FormEnd({ problem, isBusy, submit, leave, onLeave }: Props) {
  return (
    <>
      {problem !== null && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      <p class="row-end">
        <Button onClick={onLeave}>{leave}</Button>
        <Button type="submit" kind="main" busy={isBusy}>
          {submit}
        </Button>
      </p>
    </>
  );
}
