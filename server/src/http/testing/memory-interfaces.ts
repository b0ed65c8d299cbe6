import type { InterfaceRecord } from '@trellis/contract/shapes/interface.ts';
import type { HttpServices } from '../services.ts';

export function memoryInterfaces(): HttpServices['interfaces'] {
  return {
    list: (_caller, { skip, take }) => ({ items: [record('ours', 2)], total: 1, skip, take }),
    put: async (_caller, name, zip) => record(name, zip.length),
    delete: async () => {},
  };
}

function record(name: string, bytes: number): InterfaceRecord {
  return {
    name,
    digest: '0'.repeat(64),
    files: 1,
    bytes,
    uploadedAt: '2026-11-21T00:00:00.000Z',
    uploadedBy: null,
    chosen: false,
  };
}
