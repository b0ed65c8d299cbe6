import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { DialogActions } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** "Revoke the token "nightly"?" */
  readonly title: string;
  /** What follows from it. */
  readonly children: ReactNode;
  /** What is done: "Revoke". */
  readonly action: string;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
}

/** Before something goes that cannot be had again. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, children, action, isBusy = false, onConfirm } = props;
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-50 bg-black/40" />
        <AlertDialog.Popup className="fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-card border bg-raised p-5 shadow-raised outline-none">
          <AlertDialog.Title className="text-base font-semibold break-words">
            {title}
          </AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="mt-2 text-muted">
            {children}
          </AlertDialog.Description>
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
              {action}
            </Button>
          </DialogActions>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
