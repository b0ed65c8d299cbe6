import type { HttpServices } from '../services.ts';

/** An export of two bytes, and an import that finds nothing in them. */
export function memoryDefinitions(): HttpServices['definitions'] {
  return {
    async *exportZip() {
      yield new Uint8Array([0x50, 0x4b]);
    },
    importZip: async (_caller, _zip, { mirror, dryRun, onAccepted, log }) => {
      onAccepted();
      log('Nothing to do.');
      const totals = { created: 0, changed: 0, deleted: 0, unchanged: 0, failed: 0 };
      return { dryRun, mirror, jobId: null, totals, items: [], ignored: [] };
    },
  };
}
