import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { FolderOpen, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useViewer } from '../../api/viewer.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { describeError } from '../../ui/error-text.ts';
import { TextField } from '../../ui/field.tsx';
import { FormAlert } from '../../ui/form-alert.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import type { GraphEditor } from './graph-editor.ts';
import { packGraph, unpackGraph } from './graph-link.ts';
import { openLinked } from './graph-start.ts';
import {
  changeSavedLayouts,
  LAYOUT_NAME_CHARACTERS_MAX,
  type SavedLayout,
  savedLayoutsQuery,
  withLayout,
} from './saved-layouts.ts';

interface LayoutDialogProps {
  readonly editor: GraphEditor;
  readonly onClose: () => void;
}

export function SaveLayoutDialog({ editor, onClose }: LayoutDialogProps) {
  const [name, setName] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const save = useChange(async (chosen: string) => {
    const graph = await packGraph(editor.scene.picture());
    if (graph === undefined) {
      throw new Error('The drawing is too large to be kept here: export it as JSON instead.');
    }
    const layout = { name: chosen, savedAt: new Date().toISOString(), graph };
    return (layouts) => withLayout(layouts, layout);
  });
  const chosen = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (chosen === '') return;
    save.mutate(chosen, {
      onSuccess: () => {
        toastDone(`The layout “${chosen}” is saved`);
        onClose();
      },
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Save layout"
      description="Saved with your preferences. It replaces a layout of the same name."
    >
      <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <TextField
          label="Name"
          value={name}
          maxLength={LAYOUT_NAME_CHARACTERS_MAX}
          onChange={(event) => setName(event.target.value)}
          error={isChecked && chosen === '' ? 'Give it a name.' : undefined}
        />
        {save.isError && <FormAlert {...describeError(save.error)} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function SavedLayoutsDialog({ editor, onClose }: LayoutDialogProps) {
  const userUid = useViewer()?.uid ?? '';
  const query = useQuery({ ...savedLayoutsQuery(userUid), enabled: userUid !== '' });
  const [doomed, setDoomed] = useState<SavedLayout>();
  const remove = useChange((gone: string) =>
    Promise.resolve((layouts) => layouts.filter(({ name }) => name !== gone)),
  );
  const open = useOpenLayout(editor, onClose);
  const confirm = ({ name }: SavedLayout) =>
    remove.mutate(name, {
      onSuccess: () => toastDone(`The layout “${name}” is deleted`),
      onError: (error) => toastError('The layout could not be deleted', error),
      onSettled: () => setDoomed(undefined),
    });
  return (
    <Dialog isOpen onClose={onClose} title="Saved layouts">
      <QueryView query={query} errorTitle="The layouts could not be read">
        {(layouts) => (
          <LayoutList
            layouts={layouts}
            isBusy={open.isPending}
            onOpen={open.mutate}
            onDelete={setDoomed}
          />
        )}
      </QueryView>
      {doomed !== undefined && (
        <ConfirmDialog
          isOpen
          onClose={() => setDoomed(undefined)}
          title={`Delete the layout “${doomed.name}”?`}
          action="Delete"
          isBusy={remove.isPending}
          onConfirm={() => confirm(doomed)}
        >
          What is drawn now stays.
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

interface LayoutListProps {
  readonly layouts: readonly SavedLayout[];
  readonly isBusy: boolean;
  readonly onOpen: (layout: SavedLayout) => void;
  readonly onDelete: (layout: SavedLayout) => void;
}

function LayoutList({ layouts, isBusy, onOpen, onDelete }: LayoutListProps) {
  if (layouts.length === 0) {
    return (
      <EmptyState icon={FolderOpen} title="No saved layouts yet">
        “Save layout” saves the drawing under a name.
      </EmptyState>
    );
  }
  return (
    <ul aria-label="Saved layouts">
      {layouts.map((layout) => (
        <li key={layout.name} className="flex items-center gap-3 border-b py-2 last:border-b-0">
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium">{layout.name}</p>
            <p className="text-[13px] text-muted">
              <Time iso={layout.savedAt} />
            </p>
          </div>
          <Button
            size="small"
            disabled={isBusy}
            aria-label={`Open ${layout.name}`}
            onClick={() => onOpen(layout)}
          >
            Open
          </Button>
          <IconButton
            size="small"
            icon={Trash2}
            label={`Delete ${layout.name}`}
            onClick={() => onDelete(layout)}
          />
        </li>
      ))}
    </ul>
  );
}

function useOpenLayout(editor: GraphEditor, onOpened: () => void) {
  return useMutation({
    mutationFn: async ({ graph, name }: SavedLayout) =>
      openLinked(editor, `open ${name}`, await unpackGraph(graph)),
    onSuccess: onOpened,
    onError: (error, { name }) => toastError(`The layout “${name}” could not be opened`, error),
  });
}

type LayoutsChange = (layouts: readonly SavedLayout[]) => readonly SavedLayout[];

/** Changes the layouts of the viewer by what is prepared from a name. */
function useChange(prepare: (name: string) => Promise<LayoutsChange>) {
  const userUid = useViewer()?.uid;
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => {
      if (userUid === undefined) throw new Error('Your user is not read yet.');
      await changeSavedLayouts(userUid, await prepare(name));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['graph', 'layouts'] }),
  });
}
