import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { describeError } from '../../ui/error-text.ts';
import { draftText } from './field-draft.ts';
import { FieldInput } from './field-input.tsx';
import {
  changeOf,
  hintOf,
  NO_DRAFT,
  type NodeState,
  type RecordDraft,
  withChoice,
  withText,
} from './record-draft.ts';
import { refusedField, useSavedRecord } from './use-saved-record.ts';

interface RecordFormProps {
  readonly uid: string;
  readonly state: NodeState;
  /** The types of the fields, without the key, which stays. */
  readonly types: Readonly<Record<string, string>>;
  readonly draft: RecordDraft;
  readonly onDraft: (draft: RecordDraft) => void;
}

/** The fields of a node, each edited in its place; Enter saves. */
export function RecordForm({ uid, state, types, draft, onDraft }: RecordFormProps) {
  const save = useSavedRecord({ uid, types, onDraft });
  const { errors } = changeOf(draft, types);
  const refused = save.isError ? refusedField(save.error) : undefined;
  const isChanged = Object.keys(draft.texts).length > 0;
  const isWrong = Object.keys(errors).length > 0 || draft.conflict !== undefined;
  const form = useFocusedAfter(isChanged);
  return (
    <form
      ref={form}
      tabIndex={-1}
      noValidate
      aria-label="Fields"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !isWrong) save.mutate(draft);
      }}
    >
      {draft.conflict !== undefined && (
        <p role="alert" className="rounded-control bg-warning-soft px-3 py-2 text-warning">
          Somebody changed this node meanwhile. Choose a value for each field that you both changed.
        </p>
      )}
      {Object.entries(types).map(([field, type]) => (
        <div key={field}>
          <FieldInput
            name={field}
            type={type}
            hint={hintOf(field)}
            text={draft.texts[field] ?? draftText(state.node[field], type)}
            error={
              errors[field] ?? (refused === field ? describeError(save.error).message : undefined)
            }
            onText={(text) => onDraft(withText(draft, field, text, state, types))}
          />
          {draft.conflict?.fields.includes(field) === true && (
            <Conflict
              field={field}
              theirs={theirText(draft.conflict.node, field, type)}
              onChoose={(isMine) => onDraft(withChoice(draft, field, isMine))}
            />
          )}
        </div>
      ))}
      {save.isError && refused === undefined && (
        <ErrorPanel title="The changes were not saved" error={save.error} />
      )}
      {isChanged && (
        <div className="sticky bottom-0 flex justify-end gap-2 border-t bg-surface py-2">
          <Button onClick={() => onDraft(NO_DRAFT)}>Discard</Button>
          <Button kind="primary" type="submit" disabled={isWrong} isBusy={save.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

/** The buttons go with the changes: whoever has pressed one of them goes on from the form. */
function useFocusedAfter(isChanged: boolean) {
  const form = useRef<HTMLFormElement>(null);
  const wasChanged = useRef(isChanged);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (wasChanged.current && !isChanged && isLost) form.current?.focus({ preventScroll: true });
    wasChanged.current = isChanged;
  }, [isChanged]);
  return form;
}

function theirText(node: NodeObject, field: string, type: string): string {
  return draftText(node[field], type) || 'No value';
}

interface ConflictProps {
  readonly field: string;
  readonly theirs: string;
  readonly onChoose: (isMine: boolean) => void;
}

/** What is saved now, beside what was typed. */
function Conflict({ field, theirs, onChoose }: ConflictProps) {
  return (
    <div
      role="group"
      aria-label={`Two values of ${field}`}
      className="mt-1 rounded-control bg-warning-soft px-3 py-2"
    >
      <p className="wrap-anywhere">
        Saved by somebody else: <bdi className="font-medium whitespace-pre-wrap">{theirs}</bdi>
      </p>
      <div className="mt-1.5 flex gap-2">
        <Button size="small" onClick={() => onChoose(true)}>
          Keep mine
        </Button>
        <Button size="small" onClick={() => onChoose(false)}>
          Take theirs
        </Button>
      </div>
    </div>
  );
}
