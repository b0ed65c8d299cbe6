import { SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type Ref, useId } from 'react';
import { Button } from '../../../ui/button.tsx';

interface ComposerProps {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  /** An answer is under way: it can be stopped, and nothing sent. */
  readonly isBusy: boolean;
  readonly onStop: () => void;
  /** Why nothing can be sent here at all. */
  readonly reason?: string | undefined;
  readonly charactersMax: number;
  readonly field?: Ref<HTMLTextAreaElement>;
  /** What the message goes with, at the left of the buttons. */
  readonly children?: ReactNode;
}

/**
 * Where a message is written: Enter sends it, Shift and Enter begin a line, Escape stops an answer.
 */
export function Composer(props: ComposerProps) {
  const { label, text, onText, onSend, isBusy, onStop, reason, charactersMax } = props;
  const id = useId();
  const canSend = !isBusy && reason === undefined && text.trim() !== '';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && isBusy) onStop();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    if (canSend) onSend();
  };
  return (
    <form
      className="rounded-card border bg-raised p-2.5 shadow-raised"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
    >
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <textarea
        ref={props.field}
        id={id}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        dir="auto"
        value={text}
        maxLength={charactersMax}
        disabled={reason !== undefined}
        placeholder={reason ?? label}
        aria-describedby={`${id}-keys`}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        className="block w-full resize-none rounded-control bg-transparent px-1.5 py-1 disabled:text-muted"
      />
      <div className="mt-1 flex flex-wrap items-center gap-2">
        {props.children}
        <p id={`${id}-keys`} className="sr-only">
          Enter sends, Shift+Enter begins a new line, Escape stops an answer.
        </p>
        <div className="ml-auto">
          {isBusy ? (
            <Button icon={Square} onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button kind="primary" type="submit" icon={SendHorizontal} disabled={!canSend}>
              Send
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}
