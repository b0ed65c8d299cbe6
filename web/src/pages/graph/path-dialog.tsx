import { useMutation, useQuery } from '@tanstack/react-query';
import type { ShortestPaths } from '@trellis/client/system-endpoints.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.ts';
import { labelOf } from '../../api/node-label.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField } from '../../ui/field.tsx';
import { NodePicker } from '../../ui/node-picker.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toastDone } from '../../ui/toast.ts';
import { drawnEdge, drawnNode } from './expansion.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import type { Addition } from './graph-model.ts';
import { neighborCountsQuery } from './node-panel.tsx';

const HOPS = [3, 6, 10, 20] as const;
const HOPS_DEFAULT = 6;
/** There may be very many that are equally short. */
const PATHS_MAX = 5;

interface PathDialogProps {
  readonly editor: GraphEditor;
  readonly view: EditorView;
  readonly onClose: () => void;
}

/** The shortest paths between two nodes, which are then drawn and lifted out. */
export function PathDialog({ editor, view, onClose }: PathDialogProps) {
  const selected = useSelectedNode(view);
  const [chosenFrom, setFrom] = useState<NodeObject | null>();
  const [to, setTo] = useState<NodeObject>();
  const [maxHops, setMaxHops] = useState<number>(HOPS_DEFAULT);
  const [isChecked, setIsChecked] = useState(false);
  // Until one chooses, it is the selected node.
  const from = chosenFrom === undefined ? selected : (chosenFrom ?? undefined);
  const search = usePathSearch(editor, onClose);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (from !== undefined && to !== undefined) search.mutate({ from, to, maxHops });
  };
  const missing = (node: NodeObject | undefined) =>
    isChecked && node === undefined ? 'Choose a node.' : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Find a path"
      description="The shortest paths between two nodes, over all edges in both directions."
    >
      <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <NodePicker
          label="From"
          value={from}
          onChange={(node) => setFrom(node ?? null)}
          error={missing(from)}
        />
        <NodePicker label="To" value={to} onChange={setTo} error={missing(to)} />
        <SelectField
          label="Edges on the path, at most"
          options={HOPS.map((hops) => ({ value: String(hops), label: String(hops) }))}
          value={String(maxHops)}
          onChange={(event) => setMaxHops(Number(event.target.value))}
        />
        {search.data?.hops === null && (
          <Notice tone="warning">
            There is no path of at most {search.variables?.maxHops} edges between these nodes that
            you may see.
          </Notice>
        )}
        {search.isError && <ErrorPanel title="The search for paths failed" error={search.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={search.isPending}>
            Find
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function useSelectedNode({ selected }: EditorView): NodeObject | undefined {
  const query = useQuery({
    ...neighborCountsQuery(selected ?? ''),
    enabled: selected !== undefined,
  });
  return query.data?.node;
}

interface PathSearch {
  readonly from: NodeObject;
  readonly to: NodeObject;
  readonly maxHops: number;
}

function usePathSearch(editor: GraphEditor, onFound: () => void) {
  return useMutation({
    mutationFn: ({ from, to, maxHops }: PathSearch) =>
      client.system.paths({
        from: { uid: from.UID },
        to: { uid: to.UID },
        maxHops,
        take: PATHS_MAX,
      }),
    onSuccess: (found, { from, to }) => {
      if (found.hops === null) return;
      editor.showPath(`path from ${labelOf(from)} to ${labelOf(to)}`, additionOf(found));
      const count = found.paths.length;
      toastDone(
        count === 1 ? 'One path is drawn' : `${count} paths are drawn`,
        found.paths[0]?.nodes.map(labelOf).join(' → '),
      );
      onFound();
    },
  });
}

function additionOf({ paths }: ShortestPaths): Addition {
  return {
    nodes: paths.flatMap(({ nodes }) => nodes.map((node) => drawnNode(node))),
    edges: paths.flatMap(({ edges }) => edges.map(drawnEdge)),
  };
}
