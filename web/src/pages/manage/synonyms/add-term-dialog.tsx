import { useForm } from 'react-hook-form';
import { SYNONYM_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';

interface AddTermDialogProps {
  readonly language: string;
  readonly onClose: () => void;
  readonly onAdd: (term: string) => void;
}

/** Names a term; it is stored once something goes with it. */
export function AddTermDialog({ language, onClose, onAdd }: AddTermDialogProps) {
  const form = useForm({ defaultValues: { term: '' } });
  return (
    <Dialog isOpen onClose={onClose} title={`Add term: ${language}`}>
      <form onSubmit={form.handleSubmit(({ term }) => onAdd(term.trim()))} noValidate>
        <TextField
          label="Term"
          hint="What people type: one word, or up to four."
          dir="auto"
          autoComplete="off"
          maxLength={SYNONYM_CHARACTERS_MAX}
          error={form.formState.errors.term?.message}
          {...form.register('term', {
            validate: (term) => term.trim() !== '' || 'Enter a term.',
          })}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Continue
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
