import type {
  Neighbor,
  NeighborsPage,
  NeighborsRequest,
} from '@trellis/client/system-endpoints.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readExpansion, sharesOf } from './expansion.ts';
import { add, type Drawing, EMPTY_DRAWING } from './graph-model.ts';

const TIMESTAMP = '2026-01-01T00:00:00Z';

/**
 * A node with so many neighbors of each group, answered as `system/neighbors` does: by groups, page
 * by page.
 */
function star(groups: Readonly<Record<string, number>>) {
  const all = Object.entries(groups).flatMap(([name, count]) => {
    const [direction, edge] = name.split(' ') as ['out' | 'in', string];
    return Array.from({ length: count }, (_, n): Neighbor => {
      const other = `${direction}-${edge}-${n}`;
      const ends = direction === 'out' ? { from: 'hub', to: other } : { from: other, to: 'hub' };
      return {
        direction,
        edge: { type: edge, timestamp: TIMESTAMP, ...ends },
        node: { UID: other, Type: 'T', Timestamp: TIMESTAMP, Name: other },
      };
    });
  });
  const requests: NeighborsRequest[] = [];
  const neighbors = (request: NeighborsRequest): Promise<NeighborsPage> => {
    requests.push(request);
    const { edges, direction = 'both', skip = 0, take = 50 } = request;
    const followed = all.filter(
      (item) =>
        (edges === undefined || edges.includes(item.edge.type)) &&
        (direction === 'both' || direction === item.direction),
    );
    return Promise.resolve({
      node: { UID: 'hub', Type: 'T', Timestamp: TIMESTAMP },
      counts: Object.entries(groups).map(([name, count]) => {
        const [side, edge = ''] = name.split(' ');
        return { direction: side === 'out' ? 'out' : 'in', edge, count };
      }),
      items: followed.slice(skip, skip + take),
      total: followed.length,
      skip,
      take,
    });
  };
  return { system: { neighbors }, requests };
}

const hub: Drawing = add(EMPTY_DRAWING, {
  nodes: [{ uid: 'hub', type: 'T', label: 'hub' }],
  edges: [],
});

describe('shares', () => {
  test('are as much as is asked for or left, and as even as can be', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 60 }), { maxLength: 8 }),
        fc.nat({ max: 250 }),
        (left, take) => {
          const shares = sharesOf(left, take);
          const total = left.reduce((sum, count) => sum + count, 0);
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.min(take, total));
          const largest = Math.max(0, ...shares);
          for (const [at, share] of shares.entries()) {
            expect(share).toBeLessThanOrEqual(left[at] ?? 0);
            // Whoever got less than another by more than the rounding has nothing left.
            if (share < largest - 1) expect(share).toBe(left[at]);
          }
        },
      ),
    );
  });
});

describe('expanding', () => {
  test('brings a part of each group, with their nodes and where they came from', async () => {
    const { system } = star({ 'out Wrote': 40, 'in Near': 40, 'in Likes': 2 });
    const addition = await readExpansion(system, hub, { uid: 'hub', take: 22 });
    const byType = Object.groupBy(addition.edges, ({ type }) => type);
    expect([byType['Wrote']?.length, byType['Near']?.length, byType['Likes']?.length]).toEqual([
      10, 10, 2,
    ]);
    expect(addition.nodes).toHaveLength(22);
    expect(addition.nodes[0]).toEqual({
      uid: 'out-Wrote-0',
      type: 'T',
      label: 'out-Wrote-0',
      origin: 'hub',
    });
  });

  test('continues after what is drawn, until all is', async () => {
    const { system } = star({ 'out Wrote': 60, 'in Wrote': 3 });
    let drawing = hub;
    const sizes: number[] = [];
    for (let step = 0; step < 4; step++) {
      const addition = await readExpansion(system, drawing, { uid: 'hub', take: 25 });
      drawing = add(drawing, addition);
      sizes.push(drawing.edges.size);
    }
    expect(sizes).toEqual([25, 50, 63, 63]);
  });

  test('of one group leaves the others alone', async () => {
    const { system } = star({ 'out Wrote': 5, 'in Wrote': 5 });
    const group = { direction: 'in', edge: 'Wrote' } as const;
    const addition = await readExpansion(system, hub, { uid: 'hub', take: 25, group });
    expect(addition.edges.map(({ to }) => to)).toEqual(Array.from({ length: 5 }, () => 'hub'));
  });

  test('reads pages of at most 1,000, past what is drawn', async () => {
    const { system, requests } = star({ 'out Wrote': 2_500 });
    const all = await readExpansion(system, hub, { uid: 'hub', take: 2_400 });
    const drawing = add(hub, all);
    requests.length = 0;
    const addition = await readExpansion(system, drawing, { uid: 'hub', take: 250 });
    expect(addition.edges).toHaveLength(100);
    expect(requests.map(({ take }) => take)).toEqual([1, 1_000, 1_000, 1_000]);
  });
});
