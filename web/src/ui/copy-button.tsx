import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { toastError } from './toast.ts';

const DONE_SHOWN_MS = 2_000;

export function CopyButton({
  text,
  label = 'Copy',
}: {
  /** A function makes it when it is wanted. */
  readonly text: string | (() => string);
  readonly label?: string;
}) {
  const [isDone, setIsDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => setIsDone(false), DONE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = () => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setIsDone(true),
      (error: unknown) => toastError('It could not be copied', error),
    );
  };
  return (
    <Button size="small" icon={isDone ? Check : Copy} onClick={copy}>
      {isDone ? 'Copied' : label}
    </Button>
  );
}
