import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import { lazyPart } from './lazy-part.tsx';

const ConfirmDialog = lazyPart(async () => (await import('./confirm-dialog.tsx')).ConfirmDialog);

interface LeaveGuardProps {
  readonly isDirty: boolean;
  /** Pages that begin so keep what is not saved. */
  readonly within?: string | undefined;
  /** What becomes of it. */
  readonly children: ReactNode;
}

/**
 * Before a page with unsaved changes is left. A session that has ended leads to the sign-in
 * unasked, and back again.
 */
export function LeaveGuard({ isDirty, within, children }: LeaveGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next: { pathname } }) => {
      if (!isDirty || pathname === '/sign-in' || pathname === current.pathname) return false;
      return within === undefined || !pathname.startsWith(within);
    },
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  useEffect(() => {
    // By the time that it is needed the server may be away.
    if (isDirty) void ConfirmDialog.preload();
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
        {children}
      </ConfirmDialog>
    </Suspense>
  );
}
