import { commitLogConformance } from './testing/conformance.ts';
import { createMemoryLog, createMemoryMedium } from './memory-log.ts';
import type { LogMedium } from './testing/log-engine.ts';

commitLogConformance('memory log', {
  createMedium: async () => mediumOf(Infinity),
  createSmallMedium: async (bytes) => mediumOf(bytes),
});

function mediumOf(capacityBytes: number): LogMedium {
  const medium = createMemoryMedium();
  return {
    open: async (settings) => createMemoryLog({ ...settings, medium, capacityBytes }),
    [Symbol.asyncDispose]: async () => {},
  };
}
