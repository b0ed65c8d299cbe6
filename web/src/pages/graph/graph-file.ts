import type { Picture } from './drawing-history.ts';
import {
  add,
  type DrawnEdge,
  type DrawnNode,
  EDGES_MAX,
  EMPTY_DRAWING,
  isNodeVisible,
  NODES_MAX,
} from './graph-model.ts';

const FORMAT = 'trellis-graph';
const VERSION = 1;

/** A file of the largest drawing has about 10 MB. */
export const GRAPH_FILE_BYTES_MAX = 64 * 1024 * 1024;
const TEXT_CHARACTERS_MAX = 1_000;
const UID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;

/** What is wrong with a file or a link, as a sentence for the person who opened it. */
export class GraphFormatError extends Error {
  override readonly name = 'GraphFormatError';
}

/**
 * The picture as a JSON text that can be opened again: the nodes with their places, the edges, what
 * is pinned and hidden.
 */
export function writeGraphFile({ drawing, positions }: Picture): string {
  const nodes = [...drawing.nodes.values()].map((node, at) => ({
    ...node,
    x: round(positions[2 * at]),
    y: round(positions[2 * at + 1]),
    ...(drawing.pinned.has(node.uid) && { pinned: true }),
  }));
  return JSON.stringify({
    format: FORMAT,
    version: VERSION,
    nodes,
    edges: [...drawing.edges.values()],
    hidden: { nodes: [...drawing.hiddenNodeTypes], edges: [...drawing.hiddenEdgeTypes] },
  });
}

/**
 * Takes what `writeGraphFile` writes. Rejects with `GraphFormatError` naming the first thing that
 * is wrong.
 */
export function readGraphFile(text: string): Picture {
  const file = recordOf(parse(text), 'the file');
  if (file['format'] !== FORMAT || file['version'] !== VERSION) {
    throw new GraphFormatError(`This is not a graph file of version ${VERSION}.`);
  }
  const places = new Map<string, readonly [number, number]>();
  const pinned = new Set<string>();
  const nodes = listOf(file['nodes'], 'nodes', NODES_MAX).map((value, at) => {
    const name = `nodes[${at}]`;
    const item = recordOf(value, name);
    const node = nodeOf(item, name);
    places.set(node.uid, [numberOf(item['x'], `${name}.x`), numberOf(item['y'], `${name}.y`)]);
    if (item['pinned'] === true) pinned.add(node.uid);
    return node;
  });
  const edges = listOf(file['edges'], 'edges', EDGES_MAX).map((value, at) =>
    edgeOf(recordOf(value, `edges[${at}]`), `edges[${at}]`),
  );
  const hidden = recordOf(file['hidden'] ?? {}, 'hidden');
  const drawing = {
    ...add(EMPTY_DRAWING, { nodes, edges }),
    pinned,
    hiddenNodeTypes: typesOf(hidden['nodes'] ?? [], 'hidden.nodes'),
    hiddenEdgeTypes: typesOf(hidden['edges'] ?? [], 'hidden.edges'),
  };
  const positions = Float32Array.from(
    [...drawing.nodes.keys()].flatMap((uid) => places.get(uid) ?? [0, 0]),
  );
  return { drawing, positions };
}

/** Only what is not hidden, as the pictures that are exported show it. */
export function visiblePart({ drawing, positions }: Picture): Picture {
  const kept = [...drawing.nodes.keys()].flatMap((uid, at) =>
    isNodeVisible(drawing, uid) ? [at] : [],
  );
  const nodes = [...drawing.nodes.values()].filter(({ uid }) => isNodeVisible(drawing, uid));
  const edges = [...drawing.edges.values()].filter(
    ({ type }) => !drawing.hiddenEdgeTypes.has(type),
  );
  return {
    drawing: add(EMPTY_DRAWING, { nodes, edges }),
    positions: Float32Array.from(
      kept.flatMap((at) => [positions[2 * at] ?? 0, positions[2 * at + 1] ?? 0]),
    ),
  };
}

function nodeOf(item: Readonly<Record<string, unknown>>, name: string): DrawnNode {
  const origin = item['origin'];
  return {
    uid: uidOf(item['uid'], `${name}.uid`),
    type: textOf(item['type'], `${name}.type`),
    label: textOf(item['label'], `${name}.label`),
    ...(origin !== undefined && { origin: uidOf(origin, `${name}.origin`) }),
  };
}

function edgeOf(item: Readonly<Record<string, unknown>>, name: string): DrawnEdge {
  return {
    from: uidOf(item['from'], `${name}.from`),
    to: uidOf(item['to'], `${name}.to`),
    type: textOf(item['type'], `${name}.type`),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GraphFormatError('This is not JSON.');
  }
}

export function recordOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GraphFormatError(`${name} must be an object.`);
  }
  return Object.fromEntries(Object.entries(value));
}

export function listOf(value: unknown, name: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new GraphFormatError(`${name} must be a list.`);
  if (value.length > max) throw new GraphFormatError(`${name} may hold ${max} at most.`);
  return value;
}

export function numberOf(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(Math.fround(value))) return value;
  throw new GraphFormatError(`${name} must be a number.`);
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX) {
    return value;
  }
  throw new GraphFormatError(`${name} must be a text of 1 to ${TEXT_CHARACTERS_MAX} characters.`);
}

export function uidOf(value: unknown, name: string): string {
  if (typeof value === 'string' && UID.test(value)) return value;
  throw new GraphFormatError(`${name} must be a UID.`);
}

function typesOf(value: unknown, name: string): ReadonlySet<string> {
  return new Set(
    listOf(value, name, TEXT_CHARACTERS_MAX).map((type, at) => textOf(type, `${name}[${at}]`)),
  );
}

function round(value = 0): number {
  return Math.round(value * 100) / 100;
}
