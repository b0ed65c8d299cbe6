import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byType, circle } from './arrangements.ts';
import { ForceSimulation } from './force-simulation.ts';
import { add, EMPTY_DRAWING } from './graph-model.ts';
import { mix, TypeSlots } from './type-colors.ts';

/** As long as it moves; the number of iterations is bounded. */
function settle(simulation: ForceSimulation): number {
  let iterations = 0;
  for (; !simulation.isSettled; iterations++) simulation.iterate();
  return iterations;
}

function positionsOf(simulation: ForceSimulation, nodes: number): Float32Array {
  const positions = new Float32Array(2 * nodes);
  simulation.copyPositions(positions);
  return positions;
}

describe('the force layout', () => {
  test('ends, at places that can be drawn, and leaves what is pinned where it is', () => {
    const graph = fc.integer({ min: 2, max: 30 }).chain((nodes) =>
      fc.record({
        places: fc.array(fc.integer({ min: -500, max: 500 }), {
          minLength: 2 * nodes,
          maxLength: 2 * nodes,
        }),
        fixed: fc.array(fc.nat({ max: 1 }), { minLength: nodes, maxLength: nodes }),
        ends: fc.array(fc.tuple(fc.nat({ max: nodes - 1 }), fc.nat({ max: nodes - 1 }))),
      }),
    );
    fc.assert(
      fc.property(graph, ({ places, fixed, ends }) => {
        const simulation = new ForceSimulation({
          positions: Float32Array.from(places),
          fixed: Uint8Array.from(fixed),
          edges: Uint32Array.from(ends.flat()),
        });
        settle(simulation);
        const positions = positionsOf(simulation, fixed.length);
        expect(positions.every(Number.isFinite)).toBe(true);
        for (const [node, isFixed] of fixed.entries()) {
          if (isFixed === 0) continue;
          expect(positions[2 * node]).toBe(places[2 * node]);
          expect(positions[2 * node + 1]).toBe(places[2 * node + 1]);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('linked nodes come nearer to each other than others', () => {
    // Two triangles, whose nodes begin mixed up on a line.
    const edges = [0, 2, 2, 4, 4, 0, 1, 3, 3, 5, 5, 1];
    const simulation = new ForceSimulation({
      positions: Float32Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? at * 5 : at % 3)),
      fixed: new Uint8Array(6),
      edges: Uint32Array.from(edges),
    });
    settle(simulation);
    const positions = positionsOf(simulation, 6);
    const distance = (a: number, b: number) =>
      Math.hypot(
        (positions[2 * a] ?? 0) - (positions[2 * b] ?? 0),
        (positions[2 * a + 1] ?? 0) - (positions[2 * b + 1] ?? 0),
      );
    expect(distance(0, 2)).toBeLessThan(distance(0, 1));
    expect(distance(3, 5)).toBeLessThan(distance(2, 3));
  });
});

test.each([
  ['circle', circle],
  ['by type', byType],
])('the layout %s gives each node a place of its own', (_name, arrange) => {
  const nodes = Array.from({ length: 200 }, (_, n) => ({
    uid: `n${n}`,
    type: `T${n % 7}`,
    label: `Node ${n % 50}`,
  }));
  for (const count of [0, 1, 2, 200]) {
    const drawing = add(EMPTY_DRAWING, { nodes: nodes.slice(0, count), edges: [] });
    const positions = arrange(drawing);
    expect(positions.every(Number.isFinite)).toBe(true);
    const places = Array.from({ length: count }, (_, n) =>
      positions.slice(2 * n, 2 * n + 2).join(),
    );
    expect(new Set(places).size).toBe(count);
  }
});

describe('colors of types', () => {
  test('eight types have eight colors, and each keeps its own', () => {
    const types = Array.from({ length: 12 }, (_, n) => `Type ${n}`);
    const slots = new TypeSlots();
    const given = types.map((type) => slots.of(type));
    expect(new Set(given.slice(0, 8)).size).toBe(8);
    expect(types.toReversed().map((type) => slots.of(type))).toEqual(given.toReversed());
  });

  test('a type alone has the same color in every drawing', () => {
    expect(new TypeSlots().of('Synset')).toBe(new TypeSlots().of('Synset'));
  });

  test('are mixed channel by channel', () => {
    expect(mix('#ff0000', '#ffffff', 0.5)).toBe('#ff8080');
    expect(mix('#000', '#fff', 0.25)).toBe('#bfbfbf');
  });
});
