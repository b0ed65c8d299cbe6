import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/**
 * Replaces a page that broke. After an update of the server the old parts of a page are gone:
 * loading it again helps.
 */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    if (error instanceof Error && /import|module/i.test(error.message)) location.reload();
    reset();
    return router.invalidate();
  };
  return <ErrorPanel title="This page could not be shown" error={error} onRetry={retry} />;
}

export function PageNotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={MapPinOff}
        title="There is no page at this address"
        action={
          <Link to="/" className={buttonClasses()}>
            Go to search
          </Link>
        }
      >
        It may have been moved, or the link is incomplete.
      </EmptyState>
    </>
  );
}
