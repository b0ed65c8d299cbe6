import { Problem } from '#base/problem.ts';
import type { ExportedNode, NodeExport } from '../node-service.ts';
import type { HttpServices } from '../services.ts';

const NODE = {
  UID: '1111111111111111111111',
  Type: 'Word',
  Timestamp: '2026-11-20T00:00:00.000Z',
  Id: 'dog',
} as const;

const FIRST = { version: 1, sequence: null, timestamp: null, actor: null, changes: [] } as const;

/** One word, dog, that everybody sees; and the download of the type `Broken`, which fails after its first piece. */
export function memoryNodes(): HttpServices['nodes'] {
  const find = (uid: string) => (uid === NODE.UID ? NODE : null);
  const seen = (uid: string) => {
    const node = find(uid);
    if (node === null) throw new Problem('node_not_found', 'There is no such node.');
    return node;
  };
  const open = (type: string | undefined): NodeExport => ({
    type,
    fields: ['Id'],
    fieldTypes: new Map(),
    pieces: piecesOf(type),
  });
  return {
    get: (_caller, uid) => seen(uid),
    history: (_caller, uid, page) => {
      seen(uid);
      return { items: [FIRST], total: 1, ...page };
    },
    query: (_caller, { skip, take }) => ({ items: [NODE], total: 1, skip, take }),
    many: (_caller, uids) => uids.map(find),
    manyFields: (_caller, { uids }) =>
      Object.fromEntries(uids.map((uid) => [uid, find(uid)?.Id ?? null])),
    export: async (_caller, { type }) => open(type),
    exportByType: async (_caller, { type = 'Word' }) => [open(type)],
  };
}

async function* piecesOf(type: string | undefined): AsyncGenerator<ExportedNode[]> {
  yield [{ node: NODE, edgeCount: 0 }];
  if (type === 'Broken') throw new Error('the disk is gone');
}
