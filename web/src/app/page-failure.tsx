import { type ErrorComponentProps, Link, useLocation, useRouter } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { PartNotLoaded } from '../ui/lazy-part.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useConnectionState } from './live-connection.ts';
import { NAVIGATION, navigationItemAt } from './navigation.ts';

/** Replaces a page that broke, or whose code could not be fetched. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const connection = useConnectionState();
  const pathname = useLocation({ select: (location) => location.pathname });
  const notLoaded = error instanceof PartNotLoaded ? error : undefined;
  const wasAway = useRef(false);
  const retry = async () => {
    await notLoaded?.again();
    reset();
    await router.invalidate();
  };
  const latest = useRef(retry);
  latest.current = retry;
  useEffect(() => {
    if (notLoaded !== undefined && connection === 'online' && wasAway.current) {
      void latest.current();
    }
    wasAway.current = connection === 'away';
  }, [connection, notLoaded]);
  return (
    <>
      <PageHeader title={navigationItemAt(NAVIGATION, pathname)?.label ?? 'Page'} />
      <ErrorPanel title="This page could not be shown" error={error} onRetry={retry} />
      {notLoaded !== undefined && connection === 'online' && (
        // After an update of the server the code of before is gone.
        <Button size="small" className="mt-3" onClick={() => location.reload()}>
          Load everything again
        </Button>
      )}
    </>
  );
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
