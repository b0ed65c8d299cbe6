import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EMPTY_HISTORY,
  type History,
  type Picture,
  record,
  redo,
  STEPS_MAX,
  undo,
} from './drawing-history.ts';
import {
  add,
  broughtBy,
  collapse,
  countEdges,
  countTypes,
  type Drawing,
  type DrawnEdge,
  type DrawnNode,
  edgeId,
  EDGES_MAX,
  EMPTY_DRAWING,
  isEdgeVisible,
  NODES_MAX,
  removeEdge,
  removeNodes,
  setHidden,
  setPinned,
} from './graph-model.ts';

/** Few names, so that steps meet the same nodes again. */
const uid = fc.integer({ min: 0, max: 11 }).map((n) => `n${n}`);
const nodeType = fc.constantFrom('Book', 'Author', 'Place');
const edgeType = fc.constantFrom('WrittenBy', 'Near');
const node: fc.Arbitrary<DrawnNode> = fc.oneof(
  fc.record({ uid, type: nodeType, label: fc.string() }),
  fc.record({ uid, type: nodeType, label: fc.string(), origin: uid }),
);
const edge: fc.Arbitrary<DrawnEdge> = fc.record({ from: uid, to: uid, type: edgeType });

type Change = (drawing: Drawing) => Drawing;

const change: fc.Arbitrary<Change> = fc.oneof(
  fc
    .record({ nodes: fc.array(node, { maxLength: 6 }), edges: fc.array(edge, { maxLength: 8 }) })
    .map((addition) => (drawing: Drawing) => add(drawing, addition)),
  uid.map((one) => (drawing: Drawing) => collapse(drawing, one)),
  fc.uniqueArray(uid).map((some) => (drawing: Drawing) => removeNodes(drawing, new Set(some))),
  edge.map((one) => (drawing: Drawing) => removeEdge(drawing, edgeId(one))),
  fc.tuple(uid, fc.boolean()).map(
    ([one, on]) =>
      (drawing: Drawing) =>
        setPinned(drawing, one, on),
  ),
  fc.tuple(nodeType, fc.boolean()).map(
    ([type, on]) =>
      (drawing: Drawing) =>
        setHidden(drawing, 'node', type, on),
  ),
  fc.tuple(edgeType, fc.boolean()).map(
    ([type, on]) =>
      (drawing: Drawing) =>
        setHidden(drawing, 'edge', type, on),
  ),
);

function pictureOf(drawing: Drawing, place: number): Picture {
  return { drawing, positions: new Float32Array(drawing.nodes.size * 2).fill(place) };
}

/** Every picture on the way, the first one included, and the history of the steps between them. */
function walk(changes: readonly Change[]): { pictures: Picture[]; history: History } {
  let history = EMPTY_HISTORY;
  let present = pictureOf(EMPTY_DRAWING, 0);
  const pictures = [present];
  for (const [step, apply] of changes.entries()) {
    history = record(history, `step ${step}`, present);
    present = pictureOf(apply(present.drawing), step + 1);
    pictures.push(present);
  }
  return { pictures, history };
}

/** Turns until there is nothing left; what was shown, the first picture last. */
function turnAll(turn: typeof undo, history: History, present: Picture) {
  const shown = [present];
  for (let state = { history, picture: present }; ;) {
    const turned = turn(state.history, state.picture);
    if (turned === undefined) return { shown, history: state.history };
    shown.push(turned.picture);
    state = turned;
  }
}

describe('the drawing', () => {
  test('no edge is without its nodes, and nothing is pinned that is not there', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        for (const { drawing } of walk(changes).pictures) {
          for (const [id, one] of drawing.edges) {
            expect(id).toBe(edgeId(one));
            expect(drawing.nodes.has(one.from) && drawing.nodes.has(one.to)).toBe(true);
          }
          for (const [id, one] of drawing.nodes) expect(id).toBe(one.uid);
          for (const pinned of drawing.pinned) expect(drawing.nodes.has(pinned)).toBe(true);
        }
      }),
    );
  });

  test('undo gives back every picture that was before, and redo every one after', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: STEPS_MAX }), (changes) => {
        const { pictures, history } = walk(changes);
        const last = pictures.at(-1) ?? pictureOf(EMPTY_DRAWING, 0);
        const back = turnAll(undo, history, last);
        expect(back.shown).toEqual(pictures.toReversed());
        const forth = turnAll(redo, back.history, back.shown.at(-1) ?? last);
        expect(forth.shown).toEqual(pictures);
      }),
    );
  });

  test('a change leaves the drawing before it as it was', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), change, (changes, next) => {
        const drawing = walk(changes).pictures.at(-1)?.drawing ?? EMPTY_DRAWING;
        const before = structuredClone(drawing);
        next(drawing);
        expect(drawing).toEqual(before);
      }),
    );
  });

  test('collapsing takes away exactly what expanding brought, however deep', () => {
    const nodes = [
      { uid: 'a', type: 'T', label: 'a' },
      { uid: 'b', type: 'T', label: 'b', origin: 'a' },
      { uid: 'c', type: 'T', label: 'c', origin: 'b' },
      { uid: 'd', type: 'T', label: 'd', origin: 'e' },
      { uid: 'e', type: 'T', label: 'e' },
    ];
    const edges = [
      { from: 'a', to: 'b', type: 'E' },
      { from: 'b', to: 'c', type: 'E' },
      { from: 'c', to: 'd', type: 'E' },
      { from: 'a', to: 'e', type: 'E' },
    ];
    const drawing = add(EMPTY_DRAWING, { nodes, edges });
    expect([...broughtBy(drawing, 'a')].toSorted()).toEqual(['b', 'c']);
    const collapsed = collapse(drawing, 'a');
    expect([...collapsed.nodes.keys()]).toEqual(['a', 'd', 'e']);
    expect([...collapsed.edges.keys()]).toEqual(['a e E']);
  });

  test('two nodes that brought each other end the search for what they brought', () => {
    const nodes = [
      { uid: 'a', type: 'T', label: 'a', origin: 'b' },
      { uid: 'b', type: 'T', label: 'b', origin: 'a' },
    ];
    const drawing = add(EMPTY_DRAWING, { nodes, edges: [] });
    expect([...collapse(drawing, 'a').nodes.keys()]).toEqual(['a']);
  });

  test('stays within its limits', () => {
    const nodes = Array.from({ length: NODES_MAX + 1 }, (_, n) => ({
      uid: `n${n}`,
      type: 'T',
      label: 'n',
    }));
    const edges = Array.from({ length: EDGES_MAX + 1 }, (_, n) => ({
      from: 'n0',
      to: `n${n % NODES_MAX}`,
      type: `E${Math.floor(n / NODES_MAX)}`,
    }));
    const drawing = add(EMPTY_DRAWING, { nodes, edges });
    expect(drawing.nodes.size).toBe(NODES_MAX);
    expect(drawing.edges.size).toBe(EDGES_MAX);
    expect(add(drawing, { nodes: nodes.slice(-1), edges: [] }).nodes.size).toBe(NODES_MAX);
  });

  test('an edge is seen while its type and both its ends are', () => {
    const nodes = [
      { uid: 'a', type: 'Book', label: 'a' },
      { uid: 'b', type: 'Author', label: 'b' },
    ];
    const edges = [{ from: 'a', to: 'b', type: 'WrittenBy' }];
    const drawing = add(EMPTY_DRAWING, { nodes, edges });
    const [one = { from: '', to: '', type: '' }] = edges;
    expect(isEdgeVisible(drawing, one)).toBe(true);
    expect(isEdgeVisible(setHidden(drawing, 'node', 'Author', true), one)).toBe(false);
    const hidden = setHidden(drawing, 'edge', 'WrittenBy', true);
    expect(isEdgeVisible(hidden, one)).toBe(false);
    expect(isEdgeVisible(setHidden(hidden, 'edge', 'WrittenBy', false), one)).toBe(true);
  });

  test('counts types, most first, and edges at both ends', () => {
    expect(countTypes([{ type: 'b' }, { type: 'a' }, { type: 'c' }, { type: 'c' }])).toEqual([
      { type: 'c', count: 2 },
      { type: 'a', count: 1 },
      { type: 'b', count: 1 },
    ]);
    const nodes = ['a', 'b'].map((one) => ({ uid: one, type: 'T', label: one }));
    const edges = [
      { from: 'a', to: 'b', type: 'E' },
      { from: 'a', to: 'a', type: 'E' },
    ];
    const counts = countEdges(add(EMPTY_DRAWING, { nodes, edges }));
    expect([...counts]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});

test('the history keeps so many steps, the latest ones', () => {
  const { pictures, history } = walk(
    Array.from({ length: STEPS_MAX + 3 }, () => (d: Drawing) => d),
  );
  const last = pictures.at(-1) ?? pictureOf(EMPTY_DRAWING, 0);
  expect(history.done).toHaveLength(STEPS_MAX);
  expect(turnAll(undo, history, last).shown.at(-1)).toEqual(pictures[3]);
});
