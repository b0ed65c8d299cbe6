import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { Picture } from './drawing-history.ts';
import { drawnNode } from './expansion.ts';
import { GraphFormatError, listOf, numberOf, recordOf, textOf, uidOf } from './graph-file.ts';
import { add, type DrawnEdge, EDGES_MAX, EMPTY_DRAWING, NODES_MAX } from './graph-model.ts';

/** What chats and mail programs still pass on as one link. About 500 nodes fit in. */
export const GRAPH_LINK_CHARACTERS_MAX = 16_000;

export interface GraphLimits {
  readonly characters: number;
  readonly nodes: number;
  /** In one list: three for each edge, two for each node. */
  readonly numbers: number;
  /** A short text may say very much when it is decompressed. */
  readonly unpackedBytes: number;
}

const LINK_LIMITS: GraphLimits = {
  characters: GRAPH_LINK_CHARACTERS_MAX,
  nodes: 1_000,
  numbers: 30_000,
  unpackedBytes: 1024 * 1024,
};
/** Of what a tab keeps for itself: all that can be drawn. */
export const TAB_LIMITS: GraphLimits = {
  characters: 4 * 1024 * 1024,
  nodes: NODES_MAX,
  numbers: 3 * EDGES_MAX,
  unpackedBytes: 16 * 1024 * 1024,
};
/** Types that are hidden, or that edges have. */
const TYPES_MAX = 1_000;

/** Places are kept on a grid of so many steps along the longer side. */
const GRID_STEPS = 4_095;

/**
 * What a link says of a picture. No types and no labels of nodes: whoever opens it reads them as
 * themselves, and what they may not see is left out.
 */
export interface LinkedGraph {
  readonly uids: readonly string[];
  /** x and y of each node. */
  readonly positions: readonly number[];
  readonly edges: readonly DrawnEdge[];
  /** By UID, for the nodes that an expansion brought. */
  readonly origins: ReadonlyMap<string, string>;
  readonly pinned: readonly string[];
  readonly hiddenNodeTypes: readonly string[];
  readonly hiddenEdgeTypes: readonly string[];
}

/** JSON, compressed (RFC 1951), in base64url. Undefined when it is too long, as for a link. */
export async function packGraph(
  { drawing, positions }: Picture,
  limits = LINK_LIMITS,
): Promise<string | undefined> {
  const uids = [...drawing.nodes.keys()];
  if (uids.length > limits.nodes) return undefined;
  const places = new Map(uids.map((uid, at) => [uid, at] as const));
  const edges = [...drawing.edges.values()];
  const types = [...new Set(edges.map(({ type }) => type))];
  const grid = gridOf(positions);
  const packed = {
    v: 1,
    n: uids,
    g: [grid.left, grid.top, grid.step],
    p: Array.from(positions, (value, at) =>
      Math.round((value - (at % 2 === 0 ? grid.left : grid.top)) / grid.step),
    ),
    t: types,
    e: edges.flatMap(({ from, to, type }) => [
      places.get(from) ?? 0,
      places.get(to) ?? 0,
      types.indexOf(type),
    ]),
    o: uids.map((uid) => places.get(drawing.nodes.get(uid)?.origin ?? '') ?? -1),
    f: [...drawing.pinned].map((uid) => places.get(uid) ?? 0),
    h: [[...drawing.hiddenNodeTypes], [...drawing.hiddenEdgeTypes]],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(packed));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const text = base64Url(new Uint8Array(await new Response(stream).arrayBuffer()));
  return text.length > limits.characters ? undefined : text;
}

/** Rejects with `GraphFormatError` for what `packGraph` has not made. */
export async function unpackGraph(text: string, limits = LINK_LIMITS): Promise<LinkedGraph> {
  const packed = recordOf(await decompress(text, limits), 'the link');
  const uids = listOf(packed['n'], 'n', limits.nodes).map((uid, at) => uidOf(uid, `n[${at}]`));
  const numbersOf = (name: string) =>
    listOf(packed[name], name, limits.numbers).map((value) => numberOf(value, name));
  const [left = 0, top = 0, step = 1] = numbersOf('g');
  const places = numbersOf('p');
  const types = textsOf(packed['t'], 't');
  const uidAt = (at: number | undefined) => uidOf(uids[at ?? -1], 'a node of the link');
  const triples = numbersOf('e');
  const edges = Array.from({ length: Math.floor(triples.length / 3) }, (_, at) => ({
    from: uidAt(triples[3 * at]),
    to: uidAt(triples[3 * at + 1]),
    type: textOf(types[triples[3 * at + 2] ?? -1], 'the type of an edge'),
  }));
  const origins = numbersOf('o').flatMap((origin, at) =>
    origin < 0 ? [] : [[uidAt(at), uidAt(origin)] as const],
  );
  const [hiddenNodes, hiddenEdges] = listOf(packed['h'], 'h', 2);
  return {
    uids,
    positions: uids.flatMap((_, at) => [
      left + step * (places[2 * at] ?? 0),
      top + step * (places[2 * at + 1] ?? 0),
    ]),
    edges,
    origins: new Map(origins),
    pinned: numbersOf('f').map(uidAt),
    hiddenNodeTypes: textsOf(hiddenNodes, 'h[0]'),
    hiddenEdgeTypes: textsOf(hiddenEdges, 'h[1]'),
  };
}

/**
 * With the nodes as the viewer may see them, in the order of the UIDs; null for those that are not
 * there.
 */
export function pictureOf(linked: LinkedGraph, nodes: readonly (NodeObject | null)[]): Picture {
  const found = nodes.flatMap((node, at) => (node === null ? [] : [{ node, at }]));
  const drawn = found.map(({ node }) => drawnNode(node, linked.origins.get(node.UID)));
  const drawing = add(EMPTY_DRAWING, { nodes: drawn, edges: linked.edges });
  return {
    drawing: {
      ...drawing,
      pinned: new Set(linked.pinned.filter((uid) => drawing.nodes.has(uid))),
      hiddenNodeTypes: new Set(linked.hiddenNodeTypes),
      hiddenEdgeTypes: new Set(linked.hiddenEdgeTypes),
    },
    positions: Float32Array.from(
      found.flatMap(({ at }) => [linked.positions[2 * at] ?? 0, linked.positions[2 * at + 1] ?? 0]),
    ),
  };
}

function gridOf(positions: Float32Array): { left: number; top: number; step: number } {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < positions.length; at += 2) {
    const [x = 0, y = 0] = [positions[at], positions[at + 1]];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (left > right) return { left: 0, top: 0, step: 1 };
  const step = Math.max(right - left, bottom - top) / GRID_STEPS;
  const short = (value: number) => Number(value.toPrecision(6));
  return { left: short(left), top: short(top), step: short(step) || 1 };
}

async function decompress(text: string, limits: GraphLimits): Promise<unknown> {
  if (text.length > limits.characters) throw new GraphFormatError('The link is too long.');
  try {
    const stream = new Blob([bytesOf(text)])
      .stream()
      .pipeThrough(new DecompressionStream('deflate-raw'));
    return JSON.parse(await textOfStream(stream, limits.unpackedBytes));
  } catch (error) {
    if (error instanceof GraphFormatError) throw error;
    throw new GraphFormatError('The link is damaged: ask for it again.');
  }
}

async function textOfStream(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bytesMax) throw new GraphFormatError('The link holds too much.');
    text += decoder.decode(value, { stream: true });
  }
}

function textsOf(value: unknown, name: string): string[] {
  return listOf(value, name, TYPES_MAX).map((text) => textOf(text, name));
}

function base64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
}
