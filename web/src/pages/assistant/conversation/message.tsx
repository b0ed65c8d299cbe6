import type { ReactNode } from 'react';

interface QuestionProps {
  readonly text: string;
  /** What can be done with it. */
  readonly actions?: ReactNode;
  /** What it is about. */
  readonly context?: ReactNode;
}

/** What the user wrote. */
export function Question({ text, actions, context }: QuestionProps) {
  return (
    <article aria-label="You" className="flex flex-col items-end gap-1">
      <div className="flex max-w-[90%] items-center gap-1">
        {actions}
        <p
          dir="auto"
          className="min-w-0 rounded-card bg-accent-soft px-3.5 py-2 whitespace-pre-wrap wrap-anywhere"
        >
          {text}
        </p>
      </div>
      {context}
    </article>
  );
}

interface ReplyProps {
  /** Who says it: "Assistant". */
  readonly from: string;
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** What a model answered. */
export function Reply({ from, isBusy = false, children }: ReplyProps) {
  return (
    <article aria-label={from} aria-busy={isBusy || undefined} className="flex flex-col gap-2.5">
      {children}
    </article>
  );
}

/** In the place of the words that are to come. */
export function Thinking() {
  return (
    <p className="flex items-center gap-1 py-1" aria-hidden>
      {[0, 1, 2].map((dot) => (
        <span
          key={dot}
          className="size-1.5 animate-pulse rounded-full bg-line-strong"
          style={{ animationDelay: `${dot * 200}ms` }}
        />
      ))}
    </p>
  );
}
