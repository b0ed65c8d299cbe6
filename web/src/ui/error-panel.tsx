import { RefreshCw, TriangleAlert } from 'lucide-react';
import { Button } from './button.tsx';
import { describeError } from './error-text.ts';
import { RequestId } from './request-id.tsx';

interface ErrorPanelProps {
  /** What could not be done: "The users could not be read". */
  readonly title: string;
  readonly error: unknown;
  readonly onRetry?: (() => unknown) | undefined;
}

/** In the place of what could not be shown. */
export function ErrorPanel({ title, error, onRetry }: ErrorPanelProps) {
  const { message, hint, requestId } = describeError(error);
  return (
    <div role="alert" className="rounded-card border border-danger/40 bg-danger-soft p-4">
      <p className="flex items-center gap-2 font-medium">
        <TriangleAlert className="size-4 shrink-0 text-danger" aria-hidden />
        {title}
      </p>
      <p className="mt-1 break-words">{message}</p>
      {hint !== undefined && <p className="mt-1 text-muted">{hint}</p>}
      {requestId !== undefined && (
        <p className="mt-1 text-xs text-muted">
          Request <RequestId id={requestId} />
        </p>
      )}
      {onRetry && (
        <Button size="small" icon={RefreshCw} className="mt-3" onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </div>
  );
}
