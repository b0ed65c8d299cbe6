import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';

interface DeleteMigrationDialogProps {
  readonly name: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function DeleteMigrationDialog(props: DeleteMigrationDialogProps) {
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the migration “${props.name}”?`}
      action="Delete"
      isBusy={props.isBusy}
      onClose={props.onClose}
      onConfirm={props.onConfirm}
    >
      What it has done to the data stays. Whether it ever ran is not known any more.
    </ConfirmDialog>
  );
}
