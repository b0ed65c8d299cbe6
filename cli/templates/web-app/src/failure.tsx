import { TrellisError } from '@trellis/client';
import type { ReactNode } from 'react';

/** What went wrong, and what to do about it. */
export function Failure({ error }: { readonly error: unknown }): ReactNode {
  if (error === undefined) return null;
  if (!(error instanceof TrellisError)) return <p role="alert">{String(error)}</p>;
  return (
    <p role="alert">
      {error.message}. {error.hint}
    </p>
  );
}
