import type { OlderStore } from '#store/master-key.ts';

interface FormatRemedy {
  readonly finding: string;
  readonly remedy: string;
}

/**
 * What is told of a store that an older version has written; undefined of one in the newest format.
 */
export function remedyOfFormat(store: OlderStore | undefined): FormatRemedy | undefined {
  if (store === undefined || !store.isOfOlderFormat) return undefined;
  if (!store.isEncrypted) {
    return {
      finding: 'The values of this store have no check by which damage is told when they are read.',
      remedy: 'Stop the server and rewrite the store: trellis storage compact.',
    };
  }
  return {
    finding:
      'This store is encrypted page by page, so that who has two of its files, or two copies of one, can read text in them.',
    remedy:
      'Stop the server and rewrite the store: trellis storage rotate-key, or trellis storage compact to keep the key. Destroy old copies of graph/ and vault/.',
  };
}
