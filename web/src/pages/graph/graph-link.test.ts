import { nodeUid } from '@trellis/client/uid.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Picture } from './drawing-history.ts';
import { GraphFormatError, readGraphFile, visiblePart, writeGraphFile } from './graph-file.ts';
import { GRAPH_LINK_CHARACTERS_MAX, packGraph, pictureOf, unpackGraph } from './graph-link.ts';
import { add, EMPTY_DRAWING } from './graph-model.ts';

const uidAt = (n: number) => nodeUid('T', String(n));

/** Text as people write it, among them what JSON and XML must escape. */
const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const type = fc.constantFrom('Book', 'Author', 'דף', '"<&>"');

const picture: fc.Arbitrary<Picture> = fc
  .record({
    nodes: fc.array(
      fc.record({ type, label, origin: fc.nat({ max: 30 }), isPinned: fc.boolean() }),
      { maxLength: 20 },
    ),
    edges: fc.array(fc.record({ from: fc.nat(20), to: fc.nat(20), type }), { maxLength: 30 }),
    hiddenNodeTypes: fc.uniqueArray(type),
    hiddenEdgeTypes: fc.uniqueArray(type),
    places: fc.array(fc.integer({ min: -50_000, max: 50_000 }), { minLength: 40, maxLength: 40 }),
  })
  .map(({ nodes, edges, hiddenNodeTypes, hiddenEdgeTypes, places }) => {
    const drawn = nodes.map((node, n) => ({
      uid: uidAt(n),
      type: node.type,
      label: node.label,
      ...(node.origin < nodes.length && { origin: uidAt(node.origin) }),
    }));
    const drawing = add(EMPTY_DRAWING, {
      nodes: drawn,
      edges: edges.map((edge) => ({ ...edge, from: uidAt(edge.from), to: uidAt(edge.to) })),
    });
    const pinned = nodes.flatMap(({ isPinned }, n) => (isPinned ? [uidAt(n)] : []));
    return {
      drawing: {
        ...drawing,
        pinned: new Set(pinned),
        hiddenNodeTypes: new Set(hiddenNodeTypes),
        hiddenEdgeTypes: new Set(hiddenEdgeTypes),
      },
      positions: Float32Array.from(places.slice(0, 2 * nodes.length), (place) => place / 100),
    };
  });

describe('a file', () => {
  test('gives back what was written', () => {
    fc.assert(
      fc.property(picture, (written) => {
        expect(readGraphFile(writeGraphFile(written))).toEqual(written);
      }),
    );
  });

  test.each([
    ['no JSON', '{', 'This is not JSON.'],
    ['something else', '{"nodes": []}', 'This is not a graph file of version 1.'],
    [
      'a node without a place',
      file({ nodes: [{ uid: uidAt(1), type: 'T', label: 'a' }] }),
      'nodes[0].x must be a number.',
    ],
    [
      'no UID',
      file({ nodes: [{ uid: 'a b', type: 'T', label: 'a' }] }),
      'nodes[0].uid must be a UID.',
    ],
    [
      'a label that is no text',
      file({ nodes: [{ uid: uidAt(1), type: 'T', label: 1 }] }),
      'nodes[0].label must be a text of 1 to 1000 characters.',
    ],
    ['nodes that are no list', file({ nodes: {} }), 'nodes must be a list.'],
    ['an edge that is none', file({ edges: [null] }), 'edges[0] must be an object.'],
    [
      'too many nodes',
      file({ nodes: Array.from({ length: 20_001 }, () => 1) }),
      'nodes may hold 20000 at most.',
    ],
  ])('refuses %s', (_what, text, message) => {
    expect(() => readGraphFile(text)).toThrow(new GraphFormatError(message));
  });

  test('an edge without its nodes, and a pin on nothing, are left out', () => {
    const read = readGraphFile(file({ edges: [{ from: uidAt(1), to: uidAt(2), type: 'E' }] }));
    expect(read.drawing).toEqual(EMPTY_DRAWING);
  });
});

function file(members: object): string {
  return JSON.stringify({ format: 'trellis-graph', version: 1, nodes: [], edges: [], ...members });
}

describe('a link', () => {
  test('gives back nodes, edges, pins and what is hidden, and places on a fine grid', async () => {
    await fc.assert(
      fc.asyncProperty(picture, async (shared) => {
        const linked = await unpackGraph((await packGraph(shared)) ?? '');
        const nodes = linked.uids.map((uid) => {
          const node = shared.drawing.nodes.get(uid);
          const head = { UID: uid, Type: node?.type ?? '', Timestamp: '2026-01-01T00:00:00Z' };
          return { ...head, Name: node?.label };
        });
        const { drawing, positions } = pictureOf(linked, nodes);
        expect(drawing.edges).toEqual(shared.drawing.edges);
        expect(drawing.pinned).toEqual(shared.drawing.pinned);
        expect(drawing.hiddenNodeTypes).toEqual(shared.drawing.hiddenNodeTypes);
        expect(drawing.hiddenEdgeTypes).toEqual(shared.drawing.hiddenEdgeTypes);
        for (const [uid, node] of shared.drawing.nodes) {
          expect(drawing.nodes.get(uid)?.origin).toBe(node.origin);
        }
        // 1,000 is the longest side, and there are 4,095 steps along it.
        for (const [at, place] of shared.positions.entries()) {
          expect(Math.abs((positions[at] ?? Infinity) - place)).toBeLessThan(0.3);
        }
      }),
    );
  });

  test('what its reader may not see is left out, with its edges and its pin', async () => {
    const drawing = add(EMPTY_DRAWING, {
      nodes: [1, 2, 3].map((n) => ({ uid: uidAt(n), type: 'T', label: String(n) })),
      edges: [
        { from: uidAt(1), to: uidAt(2), type: 'E' },
        { from: uidAt(2), to: uidAt(3), type: 'E' },
        { from: uidAt(1), to: uidAt(3), type: 'E' },
      ],
    });
    const shared = {
      drawing: { ...drawing, pinned: new Set([uidAt(2)]) },
      positions: Float32Array.from([0, 0, 5, 5, 9, 9]),
    };
    const linked = await unpackGraph((await packGraph(shared)) ?? '');
    const seen = (n: number) => ({
      UID: uidAt(n),
      Type: 'T',
      Timestamp: '2026-01-01T00:00:00Z',
    });
    const seenPart = pictureOf(linked, [seen(1), null, seen(3)]);
    expect([...seenPart.drawing.nodes.keys()]).toEqual([uidAt(1), uidAt(3)]);
    expect([...seenPart.drawing.edges.keys()]).toEqual([`${uidAt(1)} ${uidAt(3)} E`]);
    expect([...seenPart.drawing.pinned]).toEqual([]);
    expect([...seenPart.positions].map(Math.round)).toEqual([0, 0, 9, 9]);
  });

  test('holds some hundred nodes, and says when there are too many', async () => {
    const of = (count: number): Picture => {
      const nodes = Array.from({ length: count }, (_, n) => ({
        uid: uidAt(n),
        type: 'T',
        label: 'n',
      }));
      return {
        drawing: add(EMPTY_DRAWING, { nodes, edges: [] }),
        positions: Float32Array.from({ length: 2 * count }, (_, n) => Math.sin(n) * 100),
      };
    };
    expect((await packGraph(of(400)))?.length).toBeLessThan(GRAPH_LINK_CHARACTERS_MAX);
    expect(await packGraph(of(1_000))).toBeUndefined();
    expect(await packGraph(of(1_001))).toBeUndefined();
  });

  test.each([
    ['what is no base64', '%%%'],
    ['what is not compressed', 'abcd'],
    ['nothing', ''],
    ['what is too long', 'a'.repeat(GRAPH_LINK_CHARACTERS_MAX + 1)],
  ])('refuses %s', async (_what, text) => {
    await expect(unpackGraph(text)).rejects.toThrow(GraphFormatError);
  });

  test('refuses what grows beyond all bounds', async () => {
    const zeros = new Blob([new Uint8Array(4 * 1024 * 1024)]).stream();
    const packed = zeros.pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = Buffer.from(await new Response(packed).arrayBuffer());
    await expect(unpackGraph(bytes.toString('base64url'))).rejects.toThrow(
      'The link holds too much.',
    );
  });
});

test('what is hidden is not in a picture that is exported', () => {
  const drawing = add(EMPTY_DRAWING, {
    nodes: [
      { uid: uidAt(1), type: 'Book', label: 'a' },
      { uid: uidAt(2), type: 'Author', label: 'b' },
      { uid: uidAt(3), type: 'Book', label: 'c' },
    ],
    edges: [
      { from: uidAt(1), to: uidAt(2), type: 'E' },
      { from: uidAt(1), to: uidAt(3), type: 'E' },
    ],
  });
  const hidden = { ...drawing, hiddenNodeTypes: new Set(['Author']) };
  const part = visiblePart({ drawing: hidden, positions: Float32Array.from([1, 2, 3, 4, 5, 6]) });
  expect([...part.drawing.nodes.keys()]).toEqual([uidAt(1), uidAt(3)]);
  expect(part.drawing.edges.size).toBe(1);
  expect([...part.positions]).toEqual([1, 2, 5, 6]);
});
