import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';

const load = async () => ({
  default: (await import('../../ui/confirm-dialog.tsx')).ConfirmDialog,
});
const ConfirmDialog = lazy(load);

/**
 * Before a page with unsaved code is left. A session that has ended leads to the sign-in unasked,
 * and back again.
 */
export function LeaveGuard({ isDirty }: { readonly isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && current.pathname !== next.pathname && next.pathname !== '/sign-in',
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  useEffect(() => {
    // By the time that it is needed the server may be away.
    if (isDirty) void load();
  }, [isDirty]);
  if (blocker.status !== 'blocked') return null;
  return (
    <Suspense>
      <ConfirmDialog
        isOpen
        title="Leave with unsaved changes?"
        action="Leave"
        onClose={blocker.reset}
        onConfirm={blocker.proceed}
      >
        They are kept in this tab of the browser until it is closed: open the endpoint again to go
        on.
      </ConfirmDialog>
    </Suspense>
  );
}
