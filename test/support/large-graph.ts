import { nodeUid } from '@trellis/client/uid.ts';

/**
 * 10,000 nodes in a spiral and 30,000 edges between neighbours, as a file that the graph view
 * opens.
 */
export function largeGraph(): Buffer {
  const uids = Array.from({ length: 10_000 }, (_, n) => nodeUid('Star', String(n)));
  const nodes = uids.map((uid, n) => ({
    uid,
    type: `Type${n % 9}`,
    label: `Star ${n}`,
    x: Math.sqrt(n) * Math.cos(n * 2.4) * 10,
    y: Math.sqrt(n) * Math.sin(n * 2.4) * 10,
  }));
  const edges = [1, 2, 3].flatMap((step) =>
    uids.map((from, n) => ({ from, to: uids[(n + 34 * step) % uids.length], type: `Edge${step}` })),
  );
  return Buffer.from(JSON.stringify({ format: 'trellis-graph', version: 1, nodes, edges }));
}
