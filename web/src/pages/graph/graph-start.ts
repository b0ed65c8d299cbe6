import { queryOptions } from '@tanstack/react-query';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { NODE_UIDS_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../api/client.ts';
import { drawnNode, readExpansion, STEP_SIZE_DEFAULT } from './expansion.ts';
import { GraphEditor } from './graph-editor.ts';
import { GraphFormatError } from './graph-file.ts';
import { pictureOf, unpackGraph } from './graph-link.ts';

/** What the address says the page begins with. */
export interface GraphStart {
  /** UIDs with commas between them. */
  readonly node?: string | undefined;
  /** A picture that somebody shared: see `packGraph`. */
  readonly layout?: string | undefined;
}

/** Coming back to the page, one finds the drawing as one left it, until the session ends. */
const KEPT_MS = 60 * 60 * 1_000;

/** The editor of an address, with what the address names already drawn. */
export function editorQuery({ node, layout }: GraphStart) {
  return queryOptions({
    queryKey: ['graph', 'editor', { node, layout }],
    queryFn: ({ signal }) => beginEditor({ node, layout }, signal),
    // It holds what was drawn since: nothing may read it again.
    staleTime: 'static',
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
}

async function beginEditor(start: GraphStart, signal: AbortSignal): Promise<GraphEditor> {
  const editor = new GraphEditor();
  if (start.layout !== undefined) {
    const linked = await unpackGraph(start.layout);
    const nodes = await client.nodes.getMany({ uids: linked.uids }, { signal });
    editor.open('open the link', pictureOf(linked, nodes));
  }
  const uids = [...new Set(start.node?.split(','))].filter((uid) => uid !== '');
  if (uids.length > 0) await addNodes(editor, uids, signal);
  return editor;
}

async function addNodes(editor: GraphEditor, uids: string[], signal: AbortSignal): Promise<void> {
  if (uids.length > NODE_UIDS_MAX) {
    throw new GraphFormatError(`The address may name ${NODE_UIDS_MAX} nodes at most.`);
  }
  const found = (await client.nodes.getMany({ uids }, { signal })).filter((node) => node !== null);
  if (found.length === 0) {
    throw new GraphFormatError('These nodes do not exist, or you may not see them.');
  }
  await beginWith(editor, found);
}

/** Draws nodes; a single one with its first neighbors, as alone it says little. */
export async function beginWith(editor: GraphEditor, found: readonly NodeObject[]): Promise<void> {
  const nodes = found.map((node) => drawnNode(node));
  const [first] = nodes;
  if (first === undefined) return;
  editor.add(nodes.length === 1 ? `add ${first.label}` : `add ${nodes.length} nodes`, {
    nodes,
    edges: [],
  });
  editor.select(first.uid);
  if (nodes.length > 1) return;
  const request = { uid: first.uid, take: STEP_SIZE_DEFAULT };
  const addition = await readExpansion(client.system, editor.view.drawing, request);
  if (addition.edges.length > 0) editor.add(`expand ${first.label}`, addition);
}
