import { Button, type ButtonProps } from '../../../ui/button.tsx';
import { toastError } from '../../../ui/toast.ts';
import { useAddedIndex } from './use-added-index.ts';

interface AddIndexButtonProps extends Pick<ButtonProps, 'aria-label' | 'disabled' | 'title'> {
  readonly type: string;
  readonly field: string;
  readonly onAdded: () => void;
}

/** Adds the index of one field, beside what shows that it is missing. */
export function AddIndexButton({ type, field, onAdded, ...props }: AddIndexButtonProps) {
  const add = useAddedIndex(onAdded);
  return (
    <Button
      {...props}
      size="small"
      isBusy={add.isPending}
      onClick={() =>
        add.mutate(
          { type, names: [field] },
          { onError: (error) => toastError('The index was not added', error) },
        )
      }
    >
      Add the index
    </Button>
  );
}
