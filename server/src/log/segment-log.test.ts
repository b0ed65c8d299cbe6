import { randomBytes } from 'node:crypto';
import { commitLogConformance } from './testing/conformance.ts';
import { openSegmentLog } from './segment-log.ts';
import { smallVolume, temporaryFolder, whyNoSmallVolume } from './testing/temporary-folder.ts';
import type { LogMedium } from './testing/log-engine.ts';
import type { TemporaryFolder } from './testing/temporary-folder.ts';

commitLogConformance('segment log', {
  createMedium: async () => mediumOf(await temporaryFolder()),
  createSmallMedium: async (bytes) => mediumOf(await smallVolume(bytes)),
  whyNoSmallMedium: whyNoSmallVolume(),
});

const encryptionKey = randomBytes(32);
commitLogConformance('segment log, encrypted', {
  createMedium: async () => mediumOf(await temporaryFolder(), encryptionKey),
  createSmallMedium: async (bytes) => mediumOf(await smallVolume(bytes), encryptionKey),
  whyNoSmallMedium: whyNoSmallVolume(),
});

function mediumOf(folder: TemporaryFolder, key?: Uint8Array): LogMedium {
  const secret = key === undefined ? {} : { encryptionKey: key };
  return {
    open: (settings) => openSegmentLog({ ...settings, ...secret, folder: folder.path }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
