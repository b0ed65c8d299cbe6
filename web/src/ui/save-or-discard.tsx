import { Button } from './button.tsx';

interface SaveOrDiscardProps {
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  readonly onDiscard: () => void;
}

/** The end of a form that shows what is stored until it is changed. */
export function SaveOrDiscard({ isChanged, isBusy, onDiscard }: SaveOrDiscardProps) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button disabled={!isChanged} onClick={onDiscard}>
        Discard changes
      </Button>
      <Button kind="primary" type="submit" disabled={!isChanged} isBusy={isBusy}>
        Save
      </Button>
    </div>
  );
}
