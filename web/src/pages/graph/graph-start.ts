import { queryOptions } from '@tanstack/react-query';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { NODE_UIDS_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../api/client.ts';
import { drawnNode, readExpansion, STEP_SIZE_DEFAULT } from './expansion.ts';
import { type GraphAddress, GraphEditor } from './graph-editor.ts';
import { GraphFormatError } from './graph-file.ts';
import { type LinkedGraph, pictureOf, TAB_LIMITS, unpackGraph } from './graph-link.ts';
import { pictureOfTab } from './tab-pictures.ts';

/** Coming back to the page, one finds the drawing as one left it, until the session ends. */
const KEPT_MS = 60 * 60 * 1_000;

/** The editor of an address, with what the address names already drawn. */
export function editorQuery({ node, layout, kept }: GraphAddress) {
  return queryOptions({
    queryKey: ['graph', 'editor', { node, layout, kept }],
    queryFn: ({ signal }) => beginEditor({ node, layout, kept }, signal),
    // It holds what was drawn since: nothing may read it again.
    staleTime: 'static',
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
}

async function beginEditor(start: GraphAddress, signal: AbortSignal): Promise<GraphEditor> {
  const editor = new GraphEditor();
  const linked = await linkedIn(start);
  if (linked !== undefined) {
    await openLinked(editor, 'open the link', linked, signal);
  }
  const uids = [...new Set(start.node?.split(','))].filter((uid) => uid !== '');
  if (uids.length > 0) await addNodes(editor, uids, signal);
  else editor.keep(start);
  return editor;
}

function linkedIn({ layout, kept }: GraphAddress): Promise<LinkedGraph> | undefined {
  if (layout !== undefined) return unpackGraph(layout);
  return kept === undefined ? undefined : unpackGraph(pictureOfTab(kept), TAB_LIMITS);
}

/** Draws what the viewer may see of it. */
export async function openLinked(
  editor: GraphEditor,
  label: string,
  linked: LinkedGraph,
  signal?: AbortSignal,
): Promise<void> {
  const { uids } = linked;
  const nodes: (NodeObject | null)[] = [];
  for (let at = 0; at < uids.length; at += NODE_UIDS_MAX) {
    const asked = { uids: uids.slice(at, at + NODE_UIDS_MAX) };
    nodes.push(...(await client.nodes.getMany(asked, signal === undefined ? {} : { signal })));
  }
  const missing = nodes.filter((node) => node === null).length;
  editor.open(label, pictureOf(linked, nodes), missing);
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
