import { useEffect } from 'react';
import { useNames } from '../../../api/names.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Notice } from '../../../ui/notice.tsx';
import type { useRulesDraft } from './type-rules-draft.ts';
import { type Principals, type RuleChange, VISIBILITIES } from './type-rules.ts';

interface ReviewChangesDialogProps {
  readonly draft: ReturnType<typeof useRulesDraft>;
  readonly onClose: () => void;
}

/** What a save changes, and what somebody else has changed since it was begun. */
export function ReviewChangesDialog({ draft, onClose }: ReviewChangesDialogProps) {
  const { changes, others, save } = draft;
  const isDone = changes.length === 0;
  useEffect(() => {
    if (isDone) onClose();
  }, [isDone, onClose]);
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title="Review the changes"
      description="They apply to everybody from the next request on."
    >
      <div className="flex flex-col gap-4">
        {others.length > 0 && (
          <Notice tone="warning">
            Somebody else has changed the rules since you began. Nothing is saved yet: your changes
            are shown on top of theirs. Check them, and save again.
          </Notice>
        )}
        {save.isError && <ErrorPanel title="The rules were not saved" error={save.error} />}
        {others.length > 0 && <ChangeList title="Changed by somebody else" changes={others} />}
        <ChangeList title="Your changes" changes={changes} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Go on editing</Button>
        <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface ChangeListProps {
  readonly title: string;
  readonly changes: readonly RuleChange[];
}

function ChangeList({ title, changes }: ChangeListProps) {
  const nameOf = useNames(changes.flatMap(uidsOf));
  return (
    <section aria-label={title}>
      <h3 className="mb-2 font-medium">{title}</h3>
      <ul className="divide-y rounded-card border">
        {changes.map((change) => (
          <li
            key={`${change.type} ${change.kind === 'field' ? change.field : change.kind}`}
            className="flex flex-col gap-1 px-3 py-2"
          >
            <span className="font-medium break-all">
              {change.type}
              {change.kind === 'field' && `, ${change.field}`}
            </span>
            <span className="text-muted">
              <del className="break-words">{textOf(change, 'before', nameOf)}</del>
            </span>
            <ins className="break-words no-underline">{textOf(change, 'after', nameOf)}</ins>
          </li>
        ))}
      </ul>
    </section>
  );
}

function textOf(
  change: RuleChange,
  when: 'before' | 'after',
  nameOf: (uid: string) => string,
): string {
  if (change.kind === 'visibility') return `Seen by: ${VISIBILITIES[change[when]].toLowerCase()}`;
  const some = change[when];
  if (some === undefined) return 'Read by: whoever sees the node';
  const names = [...some.teams, ...some.users].map(nameOf);
  const what = change.kind === 'writers' ? 'Written' : 'Read';
  return `${what} by: ${[...names, 'administrators'].join(', ')}`;
}

function uidsOf(change: RuleChange): readonly string[] {
  if (change.kind === 'visibility') return [];
  const uids = (readers: Principals | undefined) =>
    readers === undefined ? [] : [...readers.teams, ...readers.users];
  return [...uids(change.before), ...uids(change.after)];
}
