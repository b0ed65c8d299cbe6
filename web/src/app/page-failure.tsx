import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorPanel } from '../ui/error-panel.tsx';

/** In the place of a page that broke. After an update of the server its old parts are not there any more: loading helps. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    if (error instanceof Error && /import|module/i.test(error.message)) location.reload();
    reset();
    return router.invalidate();
  };
  return <ErrorPanel title="This page could not be shown" error={error} onRetry={retry} />;
}
