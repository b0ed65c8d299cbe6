import { useEffect, useRef } from 'react';
import { RequestId } from './request-id.tsx';

interface FormAlertProps {
  readonly message: string | undefined;
  /** The request that was refused. */
  readonly requestId?: string | undefined;
}

/** What the server says of a form as a whole; it is scrolled to, as the form may be long. */
export function FormAlert({ message, requestId }: FormAlertProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (message !== undefined) alert.current?.focus();
  }, [message]);
  if (message === undefined) return null;
  return (
    <div
      ref={alert}
      role="alert"
      tabIndex={-1}
      className="scroll-mt-16 rounded-control bg-danger-soft px-3 py-2 text-danger"
    >
      <p>{message}</p>
      {requestId !== undefined && (
        <p className="mt-1 text-xs text-muted">
          Request <RequestId id={requestId} />
        </p>
      )}
    </div>
  );
}
