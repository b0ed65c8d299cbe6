import type { HttpServices } from '../services.ts';

/** A primary without replicas. */
export function memoryReplicas(): HttpServices['replicas'] {
  return {
    register: async () => ({
      replicaName: 'calm-heron-12',
      replicationPort: 42_999,
      version: '26.11.0',
      proof: '0'.repeat(64),
    }),
    list: async () => ({ version: '26.11.0', epoch: '', sequence: 0, replicas: [] }),
    verify: async () => ({ epoch: '', sequence: 0, isEqual: true, replicas: [] }),
  };
}
