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
      Its changes to the data stay. The record of its runs is deleted.
    </ConfirmDialog>
  );
}
