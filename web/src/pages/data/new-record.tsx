import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { describeError } from '../../ui/error-text.ts';
import { toastDone } from '../../ui/toast.ts';
import type { DataType } from './data-queries.ts';
import { FieldInput } from './field-input.tsx';
import { PanelFrame } from './panel-frame.tsx';
import {
  changeOf,
  newBodyOf,
  newHintOf,
  newTypes,
  NO_DRAFT,
  type RecordDraft,
  withText,
} from './record-draft.ts';
import { refusedField, useChangedNodes } from './use-saved-record.ts';

interface NewRecordProps {
  readonly type: DataType;
  readonly draft: RecordDraft;
  readonly onDraft: (draft: RecordDraft) => void;
  readonly onClose: () => void;
  readonly onCreated: (uid: string) => void;
}

/** A node that is not there yet. */
export function NewRecord({ type, draft, onDraft, onClose, onCreated }: NewRecordProps) {
  const types = newTypes(type);
  const { fields, errors } = changeOf(draft, types);
  const onChanged = useChangedNodes();
  const create = useMutation({
    mutationFn: () => client.nodes.create({ type: type.type, ...newBodyOf(fields) }),
    onSuccess: async ({ node }) => {
      toastDone('The node is created');
      onDraft(NO_DRAFT);
      onCreated(node.UID);
      await onChanged();
    },
  });
  const refused = create.isError ? refusedField(create.error) : undefined;
  return (
    <PanelFrame title={`New ${type.type}`} subtitle="Not saved yet" onClose={onClose}>
      <form
        noValidate
        aria-label="Fields"
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (Object.keys(errors).length === 0) create.mutate();
        }}
      >
        {Object.entries(types).map(([field, of]) => (
          <FieldInput
            key={field}
            name={field}
            type={of}
            hint={newHintOf(field, type)}
            text={draft.texts[field] ?? ''}
            error={
              errors[field] ?? (refused === field ? describeError(create.error).message : undefined)
            }
            onText={(text) => onDraft(withText(draft, field, text, undefined, types))}
          />
        ))}
        {create.isError && refused === undefined && (
          <ErrorPanel title="The node was not created" error={create.error} />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={Object.keys(errors).length > 0}
            isBusy={create.isPending}
          >
            Create
          </Button>
        </div>
      </form>
    </PanelFrame>
  );
}
