import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { CircleCheck, CircleX } from 'lucide-react';
import { Button } from '../../ui/button.tsx';

interface ProblemListProps {
  /** "Problems": read out before the list. */
  readonly label: string;
  readonly problems: readonly Diagnostic[];
  readonly onGoTo: (problem: Diagnostic) => void;
  /** Puts the name that is meant in the place of the one that is wrong. */
  readonly onApply?: ((problem: Diagnostic, name: string) => void) | undefined;
  /** Not while the code is another one than the compiler has seen. */
  readonly canApply?: boolean;
}

/** The compiler and the server end with it, when they know a name that is alike. */
const MEANT = /Did you mean ["']([\w$]+)["']\?$/;

/** What the compiler has to say, each with a way to its line. */
export function ProblemList(props: ProblemListProps) {
  const { label, problems, onGoTo, onApply, canApply = false } = props;
  return (
    <ul aria-label={label} className="max-h-40 overflow-y-auto" tabIndex={-1}>
      {problems.map((problem) => (
        <li
          key={`${problem.line}:${problem.column}:${problem.code}:${problem.message}`}
          className="flex items-start gap-2"
        >
          <button
            type="button"
            onClick={() => onGoTo(problem)}
            className="flex min-w-0 flex-1 items-start gap-2 rounded-control px-2 py-1 text-left text-[13px] hover:bg-sunken"
          >
            <CircleX className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
            <span className="shrink-0 text-muted tabular-nums">
              Line {problem.line}, column {problem.column}
            </span>
            <span className="min-w-0 break-words whitespace-pre-wrap">{problem.message}</span>
          </button>
          {onApply !== undefined && <ApplyButton {...{ problem, onApply, canApply }} />}
        </li>
      ))}
    </ul>
  );
}

interface ApplyButtonProps {
  readonly problem: Diagnostic;
  readonly onApply: (problem: Diagnostic, name: string) => void;
  readonly canApply: boolean;
}

function ApplyButton({ problem, onApply, canApply }: ApplyButtonProps) {
  const meant = MEANT.exec(problem.message)?.[1];
  if (meant === undefined) return null;
  return (
    <Button size="small" disabled={!canApply} onClick={() => onApply(problem, meant)}>
      Apply {meant}
    </Button>
  );
}

/** One line below the editor. */
export function ProblemSummary({
  problems,
}: {
  readonly problems: readonly Diagnostic[] | undefined;
}) {
  if (problems === undefined) return <p className="text-[13px] text-muted">Checking…</p>;
  if (problems.length > 0) {
    return (
      <p className="text-[13px] text-danger">
        {problems.length === 1 ? 'One problem' : `${problems.length} problems`}
      </p>
    );
  }
  return (
    <p className="inline-flex items-center gap-1.5 text-[13px] text-muted">
      <CircleCheck className="size-4 text-accent" aria-hidden />
      The code compiles
    </p>
  );
}
